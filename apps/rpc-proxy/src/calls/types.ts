import type { ScannedCall } from '../json/scan-call.ts';
import type { MethodRule } from '../methods/method-rule.ts';

/** A call with what its method may do. */
export interface RuledCall {
  readonly call: ScannedCall;
  readonly rule: MethodRule;
}
