// A receiver as an integrator writes it: deliveries wake its follower, which takes events and cursor in one transaction.
import { createServer } from 'node:http';
import { Client, type EventStore, Follower, verifyWebhook } from '@business-api/client';
import pg from 'pg';

const { PORT, BASE_URL = '', API_KEY = '', DATABASE_URL = '', WEBHOOK_SECRET = '' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL });

const store: EventStore = {
  load: async () => (await pool.query('SELECT cursor FROM position')).rows[0].cursor ?? undefined,
  apply: async (events, to, from) => {
    const transaction = await pool.connect();
    try {
      await transaction.query('BEGIN');
      const move = 'UPDATE position SET cursor = $1 WHERE cursor IS NOT DISTINCT FROM $2';
      const { rowCount } = await transaction.query(move, [to, from]);
      for (const event of rowCount === 1 ? events : []) {
        // The table has no unique index, so that an event that is taken twice is seen.
        const insert = 'INSERT INTO taken (id, sequence, body) VALUES ($1, $2, $3)';
        await transaction.query(insert, [event.id, event.sequence, event]);
      }
      await transaction.query('COMMIT');
    } finally {
      // Closes the connection, and with it what was not committed.
      transaction.release(true);
    }
  },
};
const client = new Client({ baseUrl: BASE_URL, credential: API_KEY });
const follower = new Follower(client, store, { isPushed: true });

createServer(async (req, res) => {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  try {
    await verifyWebhook(Buffer.concat(chunks), req.headers, WEBHOOK_SECRET);
  } catch {
    return void res.writeHead(400).end();
  }
  follower.wake();
  res.writeHead(204).end();
}).listen(Number(PORT), '127.0.0.1');

await follower.follow();
