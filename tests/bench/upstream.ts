// The upstream of every bench: one small JSON response, as fast as Node can.
import { createServer } from 'node:http';

const body = JSON.stringify({
  id: 1,
  is_banned: false,
  unique_id: 'biz_bench',
  account_holder: 'Bench',
  logo: '',
  username: 'bench',
});
const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };

createServer({ keepAliveTimeout: 60_000 }, (_req, res) => {
  res.writeHead(200, headers);
  res.end(body);
}).listen(Number(process.argv[2]), '127.0.0.1');
