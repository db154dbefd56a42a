// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';
import { SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { tracing } from '@opentelemetry/sdk-node';

type Sampler = tracing.Sampler;

/** OTEL_TRACES_SAMPLER (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). */
const SAMPLERS: Readonly<Record<string, (ratio: number) => Sampler>> = {
  always_on: () => new tracing.AlwaysOnSampler(),
  always_off: () => new tracing.AlwaysOffSampler(),
  traceidratio: (ratio) => new tracing.TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new tracing.ParentBasedSampler({ root: new tracing.AlwaysOnSampler() }),
  parentbased_always_off: () => new tracing.ParentBasedSampler({ root: new tracing.AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) =>
    new tracing.ParentBasedSampler({ root: new tracing.TraceIdRatioBasedSampler(ratio) }),
};

class SamplerError extends BaseError {
  /** Written for people: runService logs no stack. */
  readonly code = 'config_invalid';
  readonly retryable = false;
}

/**
 * The sampler that the environment names; default: every trace. Spans of traces that are not sampled are recorded all the
 * same, so that their errors can be exported.
 * @throws SamplerError with the variable's name if it is not understood
 */
export function createSampler({
  OTEL_TRACES_SAMPLER: name = '',
  OTEL_TRACES_SAMPLER_ARG: argument = '',
}: NodeJS.ProcessEnv): Sampler {
  const create = SAMPLERS[name === '' ? 'parentbased_always_on' : name];
  if (create === undefined)
    throw new SamplerError(
      `OTEL_TRACES_SAMPLER: expected one of ${Object.keys(SAMPLERS).join(', ')}, got "${name}"`,
    );
  const ratio = argument.trim() === '' ? 1 : Number(argument);
  if (!(ratio >= 0 && ratio <= 1))
    throw new SamplerError(`OTEL_TRACES_SAMPLER_ARG: expected a ratio from 0 to 1, got "${argument}"`);
  const sampler = create(ratio);
  return {
    shouldSample: (...asked) => {
      const result = sampler.shouldSample(...asked);
      return result.decision === tracing.SamplingDecision.NOT_RECORD
        ? { ...result, decision: tracing.SamplingDecision.RECORD }
        : result;
    },
    toString: () => `${sampler.toString()}, and errors`,
  };
}

/** Exports sampled spans, and those that failed of all other traces. */
export class SampledAndFailed implements tracing.SpanProcessor {
  readonly #processor: tracing.SpanProcessor;

  constructor(processor: tracing.SpanProcessor) {
    this.#processor = processor;
  }

  onStart(...started: Parameters<tracing.SpanProcessor['onStart']>): void {
    this.#processor.onStart(...started);
  }

  onEnd(span: tracing.ReadableSpan): void {
    const context = span.spanContext();
    const isSampled = (context.traceFlags & TraceFlags.SAMPLED) !== 0;
    if (isSampled) return this.#processor.onEnd(span);
    if (span.status.code !== SpanStatusCode.ERROR) return;
    const sampled = { ...context, traceFlags: context.traceFlags | TraceFlags.SAMPLED };
    this.#processor.onEnd(Object.create(span, { spanContext: { value: () => sampled } }) as typeof span);
  }

  forceFlush(): Promise<void> {
    return this.#processor.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#processor.shutdown();
  }
}
