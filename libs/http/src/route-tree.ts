export interface RouteMatch<T> {
  readonly value: T;
  readonly params: Readonly<Record<string, string>>;
}

interface Node<T> {
  readonly fixed: Map<string, Node<T>>;
  variable: Node<T> | undefined;
  end: { readonly value: T; readonly names: readonly string[] } | undefined;
}

/**
 * Values by path, `/blockchains/:chain_gid`: a look-up costs as many steps as the path has parts, however many paths
 * there are. Fixed parts come before parameters, so that `/addresses/hd` is never taken for an address.
 */
export class RouteTree<T> {
  readonly #root: Node<T> = newNode();

  add(path: string, value: T): void {
    const parts = path.slice(1).split('/');
    let node = this.#root;
    for (const part of parts)
      node = part.startsWith(':') ? (node.variable ??= newNode()) : fixedOf(node, part);
    node.end = { value, names: parts.filter((part) => part.startsWith(':')).map((part) => part.slice(1)) };
  }

  /** Case counts, a slash at the end does not. @throws URIError for a parameter that does not decode */
  find(path: string): RouteMatch<T> | undefined {
    const parts = path.slice(1, path.length > 1 && path.endsWith('/') ? -1 : undefined).split('/');
    const texts: string[] = [];
    const end = findEnd(this.#root, parts, 0, texts);
    if (end === undefined) return undefined;
    const params: Record<string, string> = {};
    for (const [index, name] of end.names.entries()) params[name] = decode(texts[index]!);
    return { value: end.value, params };
  }
}

function newNode<T>(): Node<T> {
  return { fixed: new Map(), variable: undefined, end: undefined };
}

function fixedOf<T>(node: Node<T>, part: string): Node<T> {
  let child = node.fixed.get(part);
  if (child === undefined) node.fixed.set(part, (child = newNode()));
  return child;
}

function findEnd<T>(node: Node<T>, parts: readonly string[], index: number, texts: string[]): Node<T>['end'] {
  const part = parts[index];
  if (part === undefined) return node.end;
  const fixed = node.fixed.get(part);
  const end = fixed && findEnd(fixed, parts, index + 1, texts);
  if (end !== undefined || node.variable === undefined || part === '') return end;
  texts.push(part);
  const further = findEnd(node.variable, parts, index + 1, texts);
  if (further === undefined) texts.pop();
  return further;
}

function decode(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text;
}
