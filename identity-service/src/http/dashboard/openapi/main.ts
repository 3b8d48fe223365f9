// Prints the OpenAPI document of the dashboard API, for whoever generates a client from it.
import { dashboardSpecs } from '../specs.ts';
import { describeOperations } from './describe-operations.ts';

process.stdout.write(`${JSON.stringify(describeOperations(dashboardSpecs, 'http://localhost:8080'))}\n`);
