// SPDX-License-Identifier: Apache-2.0
import type { ChainNotation, RpcMethods } from '@chainwatch/chain-core';

/**
 * How often, and where, a call may be sent:
 * `read` is hedged and retried at other nodes. `send` carries a signed transaction, which a second node accepts as
 * known: it is retried at other nodes and never hedged. `once` is never repeated after bytes were sent. `filter` stays
 * with the node that made it.
 */
export type MethodKind = 'read' | 'send' | 'once' | 'filter';

/** Method lists from the configuration of one chain; `*` stands for any text. */
export interface MethodLists {
  /** If given, no other method is allowed; naming a locked method here also unlocks it. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Locked methods that are allowed in addition to the others. */
  readonly unlock?: readonly string[];
}

export interface MethodRule {
  readonly method: string;
  readonly kind: MethodKind;
  readonly needsSend: boolean;
  readonly isAllowed: boolean;
  /** Whether this build knows the method: only then may its name become a metric label and a usage row. */
  readonly isKnown: boolean;
  /** The other family that knows a method unknown to this one, if there is exactly one. */
  readonly foreignFamily: string | undefined;
}

const SOUNDS_LIKE_WRITE = /send|submit|broadcast|sign|set|write|create|import|delete|remove/i;

/**
 * The method rules of a family.
 * @param families all families of this build
 */
export function createMethodTable(
  family: ChainNotation,
  families: readonly ChainNotation[],
  lists: MethodLists = {},
): (method: string) => MethodRule {
  const rules = new Map<string, MethodRule>();
  const decide = createDecision(family, families, lists);
  return (method) => {
    const known = rules.get(method);
    if (known !== undefined) return known;
    const rule = decide(method);
    // The sender chooses the names, so unknown ones must not take memory.
    if (rule.isKnown && rules.size < 2_000) rules.set(method, rule);
    return rule;
  };
}

function createDecision(
  { name, rpc: { methods } }: ChainNotation,
  families: readonly ChainNotation[],
  lists: MethodLists,
): (method: string) => MethodRule {
  const isListed = (patterns: readonly string[] | undefined): ((method: string) => boolean) => {
    const expressions = (patterns ?? []).map(toExpression);
    return (method) => expressions.some((expression) => expression.test(method));
  };
  const isAllowListed = isListed(lists.allow);
  const isDenied = isListed(lists.deny);
  const isUnlocked = isListed(lists.unlock);
  return (method) => {
    const isLocked = methods.locked.test(method) && !isUnlocked(method) && !isAllowListed(method);
    const isAllowed = !isLocked && !isDenied(method) && (lists.allow === undefined || isAllowListed(method));
    const kind = kindOf(methods, method);
    const owner = kind.isKnown ? undefined : findOwner(families, method);
    return { method, ...kind, isAllowed, foreignFamily: owner === name ? undefined : owner };
  };
}

function kindOf(methods: RpcMethods, method: string): Pick<MethodRule, 'kind' | 'needsSend' | 'isKnown'> {
  if (methods.send.test(method)) return { kind: 'send', needsSend: true, isKnown: true };
  if (methods.once.test(method) || methods.locked.test(method))
    return { kind: 'once', needsSend: true, isKnown: true };
  if (methods.filter?.test(method)) return { kind: 'filter', needsSend: false, isKnown: true };
  if (methods.read.test(method)) return { kind: 'read', needsSend: false, isKnown: method.length <= 64 };
  return { kind: 'once', needsSend: SOUNDS_LIKE_WRITE.test(method), isKnown: false };
}

function toExpression(pattern: string): RegExp {
  const escaped = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${escaped}$`, 's');
}

/** The family that a method belongs to, if only one family knows it. */
function findOwner(families: readonly ChainNotation[], method: string): string | undefined {
  const owners = families.filter(
    ({
      rpc: {
        methods: { read, send, once, locked },
      },
    }) => [read, send, once, locked].some((names) => names.test(method)),
  );
  return owners.length === 1 ? owners[0]!.name : undefined;
}
