// node-oidc-provider with its models in PostgreSQL, and refresh tokens of as many grants, made without a browser.
import { Provider } from 'oidc-provider';
import pg from 'pg';

const port = Number(process.argv[2]);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
await pool.query(`CREATE TABLE models (
  model text, id text, payload jsonb, grant_id text, expires_at timestamptz, consumed_at timestamptz,
  PRIMARY KEY (model, id))`);
await pool.query('CREATE INDEX ON models (grant_id)');

const found = ({ rows: [row] }) =>
  row && { ...row.payload, ...(row.consumed_at && { consumed: Math.floor(row.consumed_at / 1000) }) };

/** The adapter of the documentation, on one table. */
class Models {
  constructor(model) {
    this.model = model;
  }

  async upsert(id, payload, expiresIn) {
    await pool.query(
      `INSERT INTO models VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))
       ON CONFLICT (model, id) DO UPDATE SET payload = excluded.payload, expires_at = excluded.expires_at`,
      [this.model, id, payload, payload.grantId, expiresIn ?? null],
    );
  }

  async find(id) {
    const live = 'model = $1 AND id = $2 AND (expires_at IS NULL OR expires_at > now())';
    return found(await pool.query(`SELECT payload, consumed_at FROM models WHERE ${live}`, [this.model, id]));
  }

  async consume(id) {
    await pool.query('UPDATE models SET consumed_at = now() WHERE model = $1 AND id = $2', [this.model, id]);
  }

  async destroy(id) {
    await pool.query('DELETE FROM models WHERE model = $1 AND id = $2', [this.model, id]);
  }

  async revokeByGrantId(grantId) {
    await pool.query('DELETE FROM models WHERE grant_id = $1', [grantId]);
  }
}

// Without `openid`: identity-service signs no ID tokens either.
const scope = 'offline_access';
const redirectUri = 'https://client.example/callback';
const provider = new Provider(`http://127.0.0.1:${port}`, {
  adapter: Models,
  clients: [
    {
      client_id: 'bench',
      client_secret: 'bench',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  rotateRefreshToken: true,
  ttl: { AccessToken: 3_600, AuthorizationCode: 600, RefreshToken: 30 * 86_400, Grant: 30 * 86_400 },
});

const client = await provider.Client.find('bench');

async function newGrant(_, index) {
  const accountId = `person-${index}`;
  const grant = new provider.Grant({ accountId, clientId: 'bench' });
  grant.addOIDCScope(scope);
  return { accountId, client, grantId: await grant.save(), scope };
}

const grants = await Promise.all(Array.from({ length: Number(process.env.GRANTS) }, newGrant));

const newRefreshToken = (of) => new provider.RefreshToken({ ...of, gty: 'authorization_code' }).save();

async function newCodes(of, { count, challenge: codeChallenge }) {
  const pkce = { codeChallenge, codeChallengeMethod: 'S256' };
  const codes = [];
  while (codes.length < Number(count)) {
    codes.push(await new provider.AuthorizationCode({ ...of, redirectUri, ...pkce }).save());
  }
  return codes;
}

/** One refresh token of each grant, or several codes of each. */
const made = {
  '/refresh-tokens': () => Promise.all(grants.map(newRefreshToken)),
  '/codes': (query) => Promise.all(grants.map((of) => newCodes(of, query))),
};

provider.use(async (ctx, next) => {
  if (Object.hasOwn(made, ctx.path)) ctx.body = await made[ctx.path](ctx.query);
  else await next();
});
provider.listen(port, '127.0.0.1');
