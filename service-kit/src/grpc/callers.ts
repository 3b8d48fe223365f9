import type { PeerCertificate } from 'node:tls';
import { z } from 'zod';
import { AppError } from '../values/app-error.ts';
import type { GrpcTls } from './tls.ts';

/**
 * Certificate names that may call, by service, such as `identity.v1.UsageService`, or by method, such as
 * `business.v1.EventFeedService/AppendEvents`. A row for a method replaces that of its service.
 */
export type CallerTable = Readonly<Record<string, readonly string[]>>;

const addition = /^([a-z0-9][a-z0-9.-]*)=([\w.]+(?:\/\w+)?)$/;

/** Variable with callers of this installation: `billing=business.v1.BusinessService/GetBusiness`, separated by commas. */
export const grpcCallers = z
  .string()
  .default('')
  .transform((text, context) =>
    text
      .split(',')
      .filter((item) => item.trim() !== '')
      .map((item) => {
        const [, name = '', target = ''] = addition.exec(item.trim()) ?? [];
        if (name !== '') return { name, target };
        context.addIssue({
          code: 'custom',
          message: 'must be name=package.Service or name=package.Service/Method',
        });
        return z.NEVER;
      }),
  );

interface CallersOptions {
  readonly tls: GrpcTls;
  readonly table: CallerTable;
  readonly added: z.output<typeof grpcCallers>;
  readonly confined?: ConfinedCallers | undefined;
}

const ofBusiness = z.object({ businessId: z.int() });

/** Callers that may act for one business only. A caller whose business is not configured (undefined) is refused. */
export type ConfinedCallers = ReadonlyMap<string, number | undefined>;

/** The part of a call of grpc-js that knows its client. */
interface IncomingCall {
  /** Absent for the opening of a stream of requests. */
  readonly request?: unknown;
  getAuthContext(): { readonly sslPeerCertificate?: PeerCertificate };
}

/**
 * Checks that a client may call a method. Every client may if there are no certificates: in local mode, and in a service
 * mesh, which has rules of its own.
 * @throws AppError permission_denied; `unavailable` when the connection has ended
 */
export type CallerCheck = (path: string, call: IncomingCall) => void;

/** Creates the check of a server. A method without a row and without an added caller admits no client. */
export function createCallerCheck({ tls, table, added, confined = new Map() }: CallersOptions): CallerCheck {
  if (tls.kind === 'plain') return () => {};
  return (path, call) => {
    const method = path.slice(1);
    const [service = ''] = method.split('/');
    const allowed = [
      ...(table[method] ?? table[service] ?? []),
      ...added.filter(({ target }) => target === method || target === service).map(({ name }) => name),
    ];
    const names = namesOf(certificateOf(call).subjectaltname ?? '');
    const caller = names.find((name) => allowed.includes(name));
    if (caller === undefined) throw refusal(names[0] ?? 'a client without a name', method);
    if (!confined.has(caller)) return;
    const asked = ofBusiness.safeParse(call.request).data?.businessId;
    if (asked === undefined || asked !== confined.get(caller)) {
      throw refusal(caller, `${method} for this business`);
    }
  };
}

/** Certificate of the client. Every open connection has one, so if grpc-js throws or finds none, the connection has ended. */
function certificateOf(call: IncomingCall): PeerCertificate {
  try {
    const { sslPeerCertificate } = call.getAuthContext();
    if (sslPeerCertificate !== undefined) return sslPeerCertificate;
  } catch (error) {
    throw connectionEnded(error);
  }
  throw connectionEnded();
}

function connectionEnded(cause?: unknown): AppError {
  return new AppError('unavailable', 'connection_ended', 'the connection has ended', cause);
}

function refusal(who: string, what: string): AppError {
  return new AppError('permission_denied', 'caller_not_allowed', `${who} may not call ${what}`);
}

/** DNS names in Node's text of a certificate's names, which quotes values with special characters. */
export function namesOf(subjectAltName: string): string[] {
  const plain = subjectAltName.replace(/"(?:[^"\\]|\\.)*"/g, '');
  return [...plain.matchAll(/(?:^|, )DNS:([^,]+)(?=,|$)/g)].map(([, name = '']) => name);
}
