// The endpoints of this server, by API.
import type { ApiBases } from '../../app/api-bases.ts'
import { rpcPath } from '../../app/api-bases.ts'
import { Card } from '../../ui/card.tsx'
import { Value } from '../../ui/copy.tsx'

export function Endpoints({
  bases,
  networks,
}: {
  readonly bases: ApiBases
  /** Default first. */
  readonly networks: readonly string[]
}) {
  const { base, webSocketBase } = bases
  const rows = [
    {
      title: `JSON-RPC${networks[0] === undefined ? '' : `, ${networks[0]}`}`,
      text: base + rpcPath(null, '<API_KEY>'),
    },
    ...networks
      .slice(1)
      .map((name) => ({ title: `JSON-RPC, ${name}`, text: base + rpcPath(name, '<API_KEY>') })),
    { title: 'WebSocket', text: `${webSocketBase}/ws/v3/<API_KEY>` },
    { title: 'IPFS API', text: `${base}/api/v0` },
    { title: 'IPFS gateway', text: `${base}/ipfs/<CID>` },
  ]
  return (
    <Card title="Endpoints" about="Replace the URL in your app. Nothing else changes.">
      <div class="stack tight">
        {rows.map(({ title, text }) => (
          <div class="field" key={title}>
            <span class="hint">{title}</span>
            <Value text={text} title={`Copy the address of ${title}`} />
          </div>
        ))}
      </div>
    </Card>
  )
}
