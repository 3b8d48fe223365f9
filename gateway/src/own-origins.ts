import type { OwnUpstream } from '@platform/service-kit/api/api.ts';

interface OriginRules {
  /** Origins of the platform's own services and of the gateway. */
  readonly platform: readonly string[];
  /** Whether connections between services are encrypted. */
  readonly isMutual: boolean;
}

/** Problems of the origins of the operator's services, each with file and line. */
export function originProblems(upstreams: readonly OwnUpstream[], rules: OriginRules): string[] {
  const platform = new Set(rules.platform.map(normalized));
  const problemOf = (origin: string) => {
    if (platform.has(normalized(origin))) return 'is an origin of the platform itself';
    return rules.isMutual && origin.startsWith('http:')
      ? 'must be an https:// origin, since GRPC_TLS is mutual'
      : undefined;
  };
  return upstreams.flatMap(({ name, origins, document }) =>
    origins.flatMap((origin, index) => {
      const problem = problemOf(origin);
      if (problem === undefined) return [];
      return document.file.error(['x-upstreams', name, 'origins', String(index)], problem).message;
    }),
  );
}

/** So that texts can be compared: without a default port, in lower case. */
const normalized = (origin: string) => new URL(origin).origin;
