/** LOCAL_DIR/run.json: where the running parts are, for `npm run admin` and for people. Gone when nothing runs. */
export interface RunFile {
  readonly pid: number;
  readonly baseUrl: string;
  readonly identityGrpcTarget: string;
  readonly businessGrpcTarget: string;
  /** Addresses of /healthz, /readyz and /metrics. */
  readonly ops: Readonly<Record<'gateway' | 'identityService' | 'businessService', string>>;
}
