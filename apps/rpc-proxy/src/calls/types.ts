import type { ScannedCall } from '../json/scan-call.ts';
import type { MethodRule } from '../methods/method-rule.ts';

/** A call and the rule of its method. */
export interface RuledCall {
  readonly call: ScannedCall;
  readonly rule: MethodRule;
}
