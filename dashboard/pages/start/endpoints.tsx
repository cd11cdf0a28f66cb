// The addresses of this server, by what they are for.
import type { Faces } from '../../app/faces.ts'
import { rpcPath } from '../../app/faces.ts'
import { Card } from '../../ui/card.tsx'
import { Value } from '../../ui/copy.tsx'

export function Endpoints({
  faces,
  networks,
}: {
  readonly faces: Faces
  /** The default first. */
  readonly networks: readonly string[]
}) {
  const { base, webSocketBase } = faces
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
    <Card title="Endpoints" about="Change one URL in what you have; the rest stays.">
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
