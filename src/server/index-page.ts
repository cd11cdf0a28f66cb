// The page at `/`: the networks served and one example command per API. No script, no external resources.
// Tested by src/http/server.test.ts
import { createHash } from 'node:crypto'
import type { Answer } from '../http/text-answer.ts'

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem}' +
  'pre{background:#8881;padding:1rem;white-space:pre-wrap;overflow-wrap:anywhere;border-radius:6px}'
const styleHash = createHash('sha256').update(style).digest('base64')
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** `host`: the validated Host header, shown in the commands; `networks`: names served, default first. */
export function indexPage(host: string, networks: readonly string[]): Answer {
  const base = `http://${escapeHtml(host)}`
  const rows = networks
    .map((name) => `<li><code>POST /${escapeHtml(name)}/v3/&lt;API_KEY&gt;</code></li>`)
    .join('\n')
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cairn</title>
<style>${style}</style>
</head>
<body>
<h1>Cairn</h1>
<p>Ethereum JSON-RPC and an IPFS API behind API keys. Every answer that can be proved is proved before it is given.</p>
<h2>Ethereum JSON-RPC</h2>
<ul>
<li><code>POST /v3/&lt;API_KEY&gt;</code> (network by Host name, else the default)</li>
<li><code>GET /ws/v3/&lt;API_KEY&gt;</code> (the same over WebSocket, with subscriptions)</li>
${rows}
</ul>
<pre>curl ${base}/v3/&lt;API_KEY&gt; -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'</pre>
<h2>IPFS</h2>
<ul>
<li><code>POST /api/v0/&lt;command&gt;</code> (Basic: key and secret)</li>
<li><code>GET /ipfs/&lt;CID&gt;?format=raw</code>, <code>?format=car</code></li>
</ul>
<pre>curl -u '&lt;API_KEY&gt;:&lt;API_KEY_SECRET&gt;' -F file=@stone.txt ${base}/api/v0/add</pre>
<h2>Health</h2>
<ul><li><code>GET /livez</code></li><li><code>GET /readyz</code></li></ul>
</body>
</html>
`
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    body,
    headers: {
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    },
  }
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
