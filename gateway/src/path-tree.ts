/** Values by paths of a template up to one segment. */
interface Node<Value> {
  readonly literals: Map<string, Node<Value>>;
  parameter?: Node<Value>;
  value?: Value;
}

/** A parameter: unreserved characters (RFC 3986 section 2.3). `.` and `..` are refused before routing. */
const parameter = /^[A-Za-z0-9._~-]{1,128}$/;

const newNode = <Value>(): Node<Value> => ({ literals: new Map() });

/**
 * Finds values by path: of `/v2/order/{id}` for `/v2/order/7`. A segment in letters goes before a parameter, wherever both lead to
 * a value.
 */
export class PathTree<Value> {
  readonly #root = newNode<Value>();

  add(template: string, value: Value): void {
    let node = this.#root;
    for (const segment of template.slice(1).split('/')) node = nextOf(node, segment);
    node.value = value;
  }

  /** @param path with a slash at its begin */
  find(path: string): Value | undefined {
    return findFrom(this.#root, path, 1);
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

/** @param from index of the segment that is next */
function findFrom<Value>(node: Node<Value>, path: string, from: number): Value | undefined {
  const slash = path.indexOf('/', from);
  const segment = slash === -1 ? path.slice(from) : path.slice(from, slash);
  const literal = node.literals.get(segment);
  const found = literal && valueAt(literal, path, slash);
  if (found !== undefined || node.parameter === undefined || !parameter.test(segment)) return found;
  return valueAt(node.parameter, path, slash);
}

const valueAt = <Value>(node: Node<Value>, path: string, slash: number): Value | undefined =>
  slash === -1 ? node.value : findFrom(node, path, slash + 1);
