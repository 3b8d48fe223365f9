// node:http in front, undici's Pool behind, and nothing between them: no check, no rule for a header, no limit of a body.
import { createServer } from 'node:http';
import { Pool } from 'undici';

const [port, upstreamPort] = process.argv.slice(2).map(Number);
const pool = new Pool(`http://127.0.0.1:${upstreamPort}`, { connections: 64, pipelining: 1 });

class Relay {
  #response;
  #body;

  constructor(response) {
    this.#response = response;
  }

  onRequestStart() {}

  onResponseStart(_controller, status, headers) {
    if (status < 200) return;
    delete headers.connection;
    delete headers['keep-alive'];
    this.#response.writeHead(status, headers);
  }

  onResponseData(_controller, chunk) {
    if (this.#body !== undefined) this.#response.write(this.#body);
    this.#body = chunk;
  }

  onResponseEnd() {
    this.#response.end(this.#body);
  }

  onResponseError() {
    if (!this.#response.headersSent) this.#response.writeHead(502);
    this.#response.end();
  }
}

createServer({ keepAliveTimeout: 60_000 }, ({ method, url, headers }, response) => {
  delete headers.connection;
  pool.dispatch({ path: url, method, headers, body: null }, new Relay(response));
}).listen(port, '127.0.0.1');
