/** Values by paths of a template up to one segment. */
interface Node<Value> {
  readonly literals: Map<string, Node<Value>>;
  parameter?: Node<Value>;
  value?: Value;
}

const newNode = <Value>(): Node<Value> => ({ literals: new Map() });

/**
 * Finds values by path: of `/v2/order/{id}` for `/v2/order/7`. A segment in letters goes before a parameter, wherever both lead to
 * a value.
 */
export class PathTree<Value> {
  readonly #prefix: string;
  readonly #root = newNode<Value>();
  /** A parameter: unreserved characters (RFC 3986 section 2.3). `.` and `..` are refused before routing. */
  readonly #parameter = /[A-Za-z0-9._~-]{1,128}(?=\/|$)/y;

  /** @param prefix of all templates, with a slash at its end */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  add(template: string, value: Value): void {
    let node = this.#root;
    for (const segment of template.slice(this.#prefix.length).split('/')) node = nextOf(node, segment);
    node.value = value;
  }

  find(path: string): Value | undefined {
    return path.startsWith(this.#prefix) ? this.#findFrom(this.#root, path, this.#prefix.length) : undefined;
  }

  /** @param from index of the next segment */
  #findFrom(node: Node<Value>, path: string, from: number): Value | undefined {
    return this.#findLiteral(node, path, from) ?? this.#findParameter(node.parameter, path, from);
  }

  #findLiteral({ literals }: Node<Value>, path: string, from: number): Value | undefined {
    // An empty map would compute the hash of the segment as well.
    if (literals.size === 0) return undefined;
    const slash = path.indexOf('/', from);
    const end = slash === -1 ? path.length : slash;
    const next = literals.get(path.slice(from, end));
    return next && this.#valueAt(next, path, end);
  }

  #findParameter(next: Node<Value> | undefined, path: string, from: number): Value | undefined {
    if (next === undefined) return undefined;
    this.#parameter.lastIndex = from;
    return this.#parameter.test(path) ? this.#valueAt(next, path, this.#parameter.lastIndex) : undefined;
  }

  #valueAt(node: Node<Value>, path: string, end: number): Value | undefined {
    return end === path.length ? node.value : this.#findFrom(node, path, end + 1);
  }
}

function nextOf<Value>(node: Node<Value>, segment: string): Node<Value> {
  if (segment.startsWith('{')) {
    node.parameter ??= newNode();
    return node.parameter;
  }
  const next = node.literals.get(segment) ?? newNode();
  node.literals.set(segment, next);
  return next;
}
