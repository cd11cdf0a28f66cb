// Details of a file or folder: kind, size, when and by which key it was pinned, and what it is part of.
// Tested by test/browser/files.test.ts
import type { AdminReply } from '../../src/admin/client.ts'
import { formatBytes, formatCount, formatTime } from '../app/format.ts'
import { keyName } from '../app/key-name.ts'
import { Link } from '../app/router.tsx'
import { Card, Facts } from '../ui/card.tsx'
import { type Pin, pinTitle } from './pin-calls.ts'

/** Reply of `files/stat`. */
export type Stat = {
  readonly Hash: string
  readonly Size: number
  readonly CumulativeSize: number
  readonly Type: 'file' | 'directory'
}

type FoundFile = Pick<AdminReply<'GET /accounts/{account}/files/{cid}'>, 'key' | 'partOf'>

/** `found`: null for a file below its pin. */
export function FileDetails({
  stat,
  pin,
  found,
}: {
  readonly stat: Stat
  readonly pin: Pin | null
  readonly found: FoundFile | null
}) {
  const bytes = formatBytes(stat.Type === 'directory' ? stat.CumulativeSize : stat.Size)
  const blocks = pin === null || pin.blocks === null ? '' : `, ${formatCount(pin.blocks, 'block')}`
  return (
    <Card title="Details">
      <Facts
        rows={[
          ['Kind', stat.Type === 'directory' ? 'Folder' : 'File'],
          ['Size', `${bytes}${blocks}`],
          ...(pin === null || found === null
            ? []
            : ([
                ['Pinned', formatTime(pin.created)],
                ['By key', <ByKey key="key" apiKey={found.key} />],
              ] as const)),
          ...(found === null
            ? []
            : [['Part of', <PartOf key="part" {...found.partOf} />] as const]),
        ]}
      />
    </Card>
  )
}

function ByKey({ apiKey }: { readonly apiKey: FoundFile['key'] }) {
  if (apiKey === null) return '–'
  return <Link to={`/keys/${apiKey.id}`}>{keyName(apiKey)}</Link>
}

function PartOf({ pins, more, tree }: FoundFile['partOf']) {
  if (pins.length === 0 && !more && !tree) return 'nothing else'
  return (
    <ul class="plain">
      {pins.map((pin) => (
        <li key={pin.cid}>
          <Link to={`/files/${pin.cid}`}>{pinTitle(pin)}</Link>
        </li>
      ))}
      {tree && <li>the file tree (MFS)</li>}
      {more && (
        <li class="soft">{pins.length === 0 ? 'possibly other pins' : 'and possibly others'}</li>
      )}
    </ul>
  )
}
