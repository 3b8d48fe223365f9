import { startUpstream } from '../../harness/upstream.ts';

/** Deliveries by what became of them. */
export interface Fates {
  straight: number;
  dropped: number;
  doubled: number;
  late: number;
}

/** Between the platform and receivers: drops, doubles or delays three of ten deliveries, and accepts each. */
export async function startLossyDeliveries(targets: readonly string[]) {
  const fates: Fates = { straight: 0, dropped: 0, doubled: 0, late: 0 };
  let count = 0;
  const pass = (headers: Readonly<Record<string, string>>, body: string) => {
    const target = targets[count++ % targets.length] ?? '';
    // A receiver that was killed misses it.
    return fetch(target, { method: 'POST', headers, body }).then(
      (response) => response.body?.cancel(),
      () => undefined,
    );
  };
  const upstream = await startUpstream(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    res.writeHead(204).end();
    const names = Object.entries(req.headers).filter(([name]) => /^(webhook-|content-type)/.test(name));
    const headers = Object.fromEntries(names.map(([name, value]) => [name, String(value)]));
    const fate =
      Math.random() < 0.7
        ? 'straight'
        : (['dropped', 'doubled', 'late'] as const)[Math.floor(Math.random() * 3)];
    fates[fate ?? 'straight']++;
    if (fate === 'dropped') return;
    if (fate === 'late') await new Promise((resolve) => setTimeout(resolve, Math.random() * 3_000));
    await pass(headers, body);
    if (fate === 'doubled') await pass(headers, body);
  });
  return { url: `${upstream.origin}/hook`, fates, close: upstream.close };
}
