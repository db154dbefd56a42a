// SPDX-License-Identifier: Apache-2.0
/** A schema of OpenAPI 3.1, as far as it is compared. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly [limit: string]: unknown;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses?: Readonly<Record<string, Content>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** Who reads the value: an answer may not surprise a client, a request of an old client has to be taken. */
type Reader = 'client' | 'server';

/** A value that one of them allows up to here, and the other only to there. */
const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties'];
const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

/**
 * What a client of the document `before` can no longer do with a service of the document `after`, one line each, with
 * the place. Allowed: new operations, members, optional parameters, values of enumerations in answers, variants of a
 * tagged union in answers.
 */
export function findBreaks(before: ApiDocument, after: ApiDocument): string[] {
  return new Comparison(before, after).run();
}

class Comparison {
  readonly #before: ApiDocument;
  readonly #after: ApiDocument;
  readonly #breaks = new Set<string>();
  /** Of schemas that refer to themselves. */
  readonly #open = new Set<string>();

  constructor(before: ApiDocument, after: ApiDocument) {
    this.#before = before;
    this.#after = after;
  }

  run(): string[] {
    for (const [path, item] of Object.entries(this.#before.paths))
      for (const method of METHODS) {
        const [old, now] = [item[method], this.#after.paths[path]?.[method]];
        const at = `${method.toUpperCase()} ${path}`;
        if (old !== undefined && now === undefined) this.#breaks.add(`${at}: is gone`);
        else if (old !== undefined) this.#compareOperation(at, old, now!);
      }
    for (const [name, item] of Object.entries(this.#before.webhooks ?? {})) {
      const now = this.#after.webhooks?.[name]?.['post'];
      if (now === undefined) this.#breaks.add(`event ${name}: is gone`);
      else this.#compareContent(`event ${name}`, item['post']!.requestBody, now.requestBody, 'client');
    }
    return [...this.#breaks];
  }

  #compareOperation(at: string, old: Operation, now: Operation): void {
    const find = (operation: Operation, name: string, place: string) =>
      operation.parameters?.find((one) => one.name === name && one.in === place);
    for (const { name, in: place, schema } of old.parameters ?? []) {
      const parameter = find(now, name, place);
      if (parameter === undefined) this.#breaks.add(`${at} ${place} ${name}: is gone`);
      else this.#compare(`${at} ${place} ${name}`, schema ?? {}, parameter.schema ?? {}, 'server');
    }
    for (const { name, in: place, required } of now.parameters ?? [])
      if (required === true && find(old, name, place)?.required !== true)
        this.#breaks.add(`${at} ${place} ${name}: is required`);
    if (now.requestBody?.required === true && old.requestBody?.required !== true)
      this.#breaks.add(`${at} body: is required`);
    if (old.requestBody !== undefined)
      this.#compareContent(`${at} body`, old.requestBody, now.requestBody, 'server');
    for (const [status, response] of Object.entries(old.responses ?? {}))
      if (status.startsWith('2')) {
        const answer = now.responses?.[status];
        if (answer === undefined) this.#breaks.add(`${at} ${status}: is gone`);
        else this.#compareContent(`${at} ${status}`, response, answer, 'client');
      }
  }

  #compareContent(at: string, old: Content | undefined, now: Content | undefined, reader: Reader): void {
    for (const [type, { schema }] of Object.entries(old?.content ?? {})) {
      const content = now?.content?.[type];
      if (content === undefined) this.#breaks.add(`${at}: ${type} is gone`);
      else this.#compare(at, schema ?? {}, content.schema ?? {}, reader);
    }
  }

  #compare(at: string, old: Schema, now: Schema, reader: Reader): void {
    if (old.$ref !== undefined && now.$ref !== undefined) {
      const pair = `${old.$ref} ${now.$ref} ${reader}`;
      if (this.#open.has(pair)) return;
      this.#open.add(pair);
    }
    const olds = variantsOf(this.#before, old);
    const nows = variantsOf(this.#after, now);
    // What the reader may get, and what it is ready for.
    const [given, taken] = reader === 'client' ? [nows, olds] : [olds, nows];
    const tag = tagOf(olds) ?? tagOf(nows);
    for (const one of given) {
      const fit = taken.filter((other) => isAlike(one, other, tag));
      if (fit.length > 0 || taken.some(isOpen)) continue;
      // A client that reads by the tag leaves what it does not know alone.
      if (reader === 'client' && tag !== undefined) continue;
      this.#breaks.add(`${at}: ${describe(one, tag)} was not ${reader === 'client' ? 'to come' : 'refused'}`);
    }
    for (const one of olds) {
      const fit = nows.filter((other) => isAlike(one, other, tag));
      if (fit.length === 1) this.#compareVariants(at, one, fit[0]!, reader);
      else if (fit.length === 0 && reader === 'client' && tag !== undefined)
        this.#breaks.add(`${at}: ${describe(one, tag)} is gone`);
      else if (fit.length > 1) {
        const found = fit.map((other) => this.#try(at, one, other, reader));
        if (found.every((breaks) => breaks.length > 0)) for (const text of found[0]!) this.#breaks.add(text);
      }
    }
  }

  #try(at: string, old: Schema, now: Schema, reader: Reader): string[] {
    const known = new Set(this.#breaks);
    this.#compareVariants(at, old, now, reader);
    const found = [...this.#breaks].filter((text) => !known.has(text));
    for (const text of found) this.#breaks.delete(text);
    return found;
  }

  /** Of two that are no union. */
  #compareVariants(at: string, old: Schema, now: Schema, reader: Reader): void {
    if (reader === 'server') this.#compareLimits(at, old, now);
    if (reader === 'client' && old.format !== undefined && now.format !== old.format)
      this.#breaks.add(`${at}: format ${String(old.format)} is ${String(now.format)}`);
    if (old.items !== undefined) this.#compare(`${at}[]`, old.items, now.items ?? {}, reader);
    if (typeof old.additionalProperties === 'object')
      this.#compare(
        `${at}.*`,
        old.additionalProperties,
        typeof now.additionalProperties === 'object' ? now.additionalProperties : {},
        reader,
      );
    for (const [name, schema] of Object.entries(old.properties ?? {})) {
      const property = now.properties?.[name];
      if (property !== undefined) this.#compare(`${at}.${name}`, schema, property, reader);
      else if (reader === 'client' || now.additionalProperties === false)
        this.#breaks.add(`${at}.${name}: is gone`);
    }
    const [must, may] = reader === 'client' ? [old, now] : [now, old];
    for (const name of must.required ?? [])
      if (!(may.required ?? []).includes(name))
        this.#breaks.add(`${at}.${name}: ${reader === 'client' ? 'may be missing' : 'is required'}`);
  }

  #compareLimits(at: string, old: Schema, now: Schema): void {
    for (const [names, isTighter] of [
      [UPPER, (a: number, b: number) => b < a],
      [LOWER, (a: number, b: number) => b > a],
    ] as const)
      for (const name of names) {
        const [was, is] = [old[name], now[name]];
        if (typeof is === 'number' && (typeof was !== 'number' || isTighter(was, is)))
          this.#breaks.add(`${at}: ${name} ${String(was ?? 'none')} is ${is}`);
      }
    const values = valuesOf(now);
    if (values === undefined) return;
    const refused = (valuesOf(old) ?? []).filter((value) => !values.includes(value));
    if (valuesOf(old) === undefined) this.#breaks.add(`${at}: takes ${values.join(', ')} alone`);
    else if (refused.length > 0) this.#breaks.add(`${at}: refuses ${refused.join(', ')}`);
  }
}

const valuesOf = ({ enum: values, const: value }: Schema): readonly unknown[] | undefined =>
  values ?? (value === undefined ? undefined : [value]);

/** The alternatives, each with one type and without references. */
function variantsOf(document: ApiDocument, schema: Schema): Schema[] {
  if (schema.$ref !== undefined) {
    const { $ref, ...more } = schema;
    const found = document.components?.schemas?.[$ref.split('/').at(-1)!] ?? {};
    return variantsOf(document, { ...found, ...more });
  }
  const { anyOf, oneOf, allOf, ...own } = schema;
  if (allOf !== undefined) {
    const parts = allOf.map((part) => variantsOf(document, part)[0] ?? {});
    return variantsOf(document, [own, ...parts].reduce<Schema>(join, {}));
  }
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined)
    return alternatives.flatMap((one) => variantsOf(document, one)).map((one) => join(own, one));
  if (Array.isArray(own.type)) return own.type.map((type: string) => ({ ...own, type }));
  return [own];
}

const join = (a: Schema, b: Schema): Schema => ({
  ...a,
  ...b,
  ...((a.properties ?? b.properties) && { properties: { ...a.properties, ...b.properties } }),
  ...((a.required ?? b.required) && { required: [...(a.required ?? []), ...(b.required ?? [])] }),
});

const isOpen = (schema: Schema): boolean => schema.type === undefined && valuesOf(schema) === undefined;

const typeOf = (schema: Schema): unknown => {
  const [value] = valuesOf(schema) ?? [];
  return schema.type ?? (value === undefined ? undefined : value === null ? 'null' : typeof value);
};

/** The member that tells variants of objects apart. */
function tagOf(variants: readonly Schema[]): string | undefined {
  const objects = variants.filter(({ properties }) => properties !== undefined);
  if (objects.length < 2) return undefined;
  return Object.keys(objects[0]!.properties!).find((name) => {
    const values = objects.map(({ properties }) => valuesOf(properties![name] ?? {}));
    return values.every((list) => list?.length === 1) && new Set(values.flat()).size === objects.length;
  });
}

function isAlike(a: Schema, b: Schema, tag: string | undefined): boolean {
  if (isOpen(a) || isOpen(b)) return true;
  const [one, other] = [typeOf(a), typeOf(b)];
  if (
    one !== other &&
    !(one === 'integer' && other === 'number') &&
    !(one === 'number' && other === 'integer')
  )
    return false;
  if (tag === undefined || a.properties === undefined || b.properties === undefined) return true;
  const [left, right] = [a, b].map(({ properties }) => valuesOf(properties![tag] ?? {}));
  return left === undefined || right === undefined || left.some((value) => right.includes(value));
}

const describe = (schema: Schema, tag: string | undefined): string =>
  tag !== undefined && schema.properties !== undefined
    ? `${tag} ${(valuesOf(schema.properties[tag] ?? {}) ?? []).join(' or ')}`
    : String(typeOf(schema));
