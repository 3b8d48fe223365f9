import { join, resolve } from 'node:path';

/** Folder of the dashboard. */
export const dashboardRoot = resolve(import.meta.dirname, '..');
/** Where the latest build is, with the assets of earlier ones: pages that are open somewhere may still ask for them. */
export const outputDirectory = join(dashboardRoot, 'dist');
/** Says what the latest build was made from. */
export const stampFile = join(outputDirectory, 'stamp.json');
