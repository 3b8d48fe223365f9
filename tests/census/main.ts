// `npm run census`: sizes of the files by workspace, then the files and functions that run for four acts on a platform.
import { align } from '../bench/table.ts';
import { acts } from './acts.ts';
import { sizes } from './sizes.ts';

process.stdout.write(`${align(sizes())}\n\n`);
process.stdout.write(`${align(await acts())}\n`);
