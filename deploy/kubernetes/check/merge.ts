import { isMap, type Value, type ValueMap } from './values.ts';

/** Fields whose lists are merged by a key, as kustomize does; all other lists are replaced. */
const mergeKeys: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  volumes: 'name',
  env: 'name',
  ports: 'containerPort',
  volumeMounts: 'mountPath',
  topologySpreadConstraints: 'topologyKey',
};

/** A strategic merge of `patch` into `target`. A null in the patch removes the field. */
export function mergeInto(target: ValueMap, patch: ValueMap): ValueMap {
  const merged: ValueMap = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    const current = merged[name];
    if (value === null) delete merged[name];
    else merged[name] = current === undefined ? value : mergeValue(name, current, value);
  }
  return merged;
}

function mergeValue(name: string, current: Value, patch: Value): Value {
  if (isMap(current) && isMap(patch)) return mergeInto(current, patch);
  const key = mergeKeys[name];
  if (key === undefined || !Array.isArray(current) || !Array.isArray(patch)) return patch;
  const keyOf = (entry: Value) => (isMap(entry) ? entry[key] : undefined);
  const entries = current.map((entry) => {
    const change = patch.find((candidate) => keyOf(candidate) === keyOf(entry));
    return isMap(entry) && isMap(change) ? mergeInto(entry, change) : entry;
  });
  const known = new Set(current.map(keyOf));
  return [...entries, ...patch.filter((entry) => !known.has(keyOf(entry)))];
}
