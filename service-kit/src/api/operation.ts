import type { ApiFile, Place } from './document.ts';
import type { ApiDocument, Method, OperationObject } from './schema.ts';

/** A checked document and its file. */
export interface LoadedDocument {
  readonly file: ApiFile;
  readonly content: ApiDocument;
  /** Whether it is the platform's own. */
  readonly isPlatform: boolean;
}

/** An operation below /v2. */
export interface Operation {
  /** In upper case. */
  readonly method: Uppercase<Method>;
  /** Template, as /v2/order/{id}. */
  readonly path: string;
  /** One of `platformUpstreams`, or the name of an `OwnUpstream`. */
  readonly upstream: string;
  /** Required scope; empty where any credential is enough, null where the upstream authenticates. */
  readonly scope: string | null;
  readonly definition: OperationObject;
  /** Of its path, for every method. */
  readonly pathParameters: readonly unknown[];
  readonly document: LoadedDocument;
  readonly place: Place;
}
