import { configurationErrors } from './configuration.ts';
import { jobErrors } from './jobs.ts';
import { readObjects } from './objects.ts';
import { podSecurityErrors } from './pod-security.ts';
import { referenceErrors } from './references.ts';
import type { Manifest } from './values.ts';

/** Describes everything that is wrong with an overlay. Empty if a cluster would run it. */
export function errorsOf(manifests: readonly Manifest[]): readonly string[] {
  const objects = readObjects(manifests);
  if ('all' in objects) {
    return [
      ...referenceErrors(objects),
      ...podSecurityErrors(objects),
      ...jobErrors(objects),
      ...configurationErrors(objects),
    ];
  }
  return objects;
}
