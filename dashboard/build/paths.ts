import { join, resolve } from 'node:path';

/** Folder of the dashboard. */
export const dashboardRoot = resolve(import.meta.dirname, '..');
/** The latest build, with assets of earlier ones, which open pages may still request. */
export const outputDirectory = join(dashboardRoot, 'dist');
/** Describes the latest build: a `Build` as JSON. */
export const stampFile = join(outputDirectory, 'stamp.json');
