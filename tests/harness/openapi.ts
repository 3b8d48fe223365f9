import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { HttpAnswer } from './http-request.ts';

/** An OpenAPI 3.1 document, as far as tests look into it. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/** Holds an answer against a document. @throws when it does not describe such an answer of that operation */
export type AnswerCheck = (method: string, path: string, answer: HttpAnswer) => void;

export function createAnswerCheck(document: OpenApiDocument): AnswerCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  const templates = Object.keys(document.paths).map((template) => ({
    template,
    pattern: new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));

  return (method, path, answer) => {
    const [pathname = ''] = path.split('?', 1);
    const template = templates.find(({ pattern }) => pattern.test(pathname))?.template;
    const verb = method.toLowerCase();
    const operation = template === undefined ? undefined : document.paths[template]?.[verb];
    if (template === undefined || operation === undefined) {
      throw new Error(`${method} ${path} is not in the document.`);
    }
    const response = operation.responses[answer.status];
    const where = `${operation.operationId}: ${answer.status}`;
    if (response === undefined) throw new Error(`${where} is not in the document:\n${answer.text}`);
    const [mediaType] = Object.keys(response.content ?? {});
    const sent = answer.headers['content-type']?.split(';', 1)[0];
    if (sent !== mediaType) throw new Error(`${where} is ${sent}, but documented as ${mediaType}.`);
    if (mediaType !== 'application/json' || answer.text === '') return;
    const pointer = [
      'paths',
      template,
      verb,
      'responses',
      String(answer.status),
      'content',
      mediaType,
      'schema',
    ];
    const schema = { $ref: `document#/${pointer.map(escapePointer).join('/')}` };
    if (!ajv.validate(schema, answer.json())) {
      throw new Error(`${where} is not as documented: ${ajv.errorsText()}\n${answer.text}`);
    }
  };
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
