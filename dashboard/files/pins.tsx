// Table of the pins of the account: open, verify, unpin.
// Tested by test/browser/files.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { callFiles, type KeyPlace } from '../app/as-key.ts'
import { formatBytes, formatTime } from '../app/format.ts'
import { Link } from '../app/router.tsx'
import { useAccount } from '../app/session.tsx'
import { Badge } from '../ui/badge.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Empty, Note } from '../ui/note.tsx'
import { Table } from '../ui/table.tsx'
import { useToast } from '../ui/toast.tsx'

type Pin = AdminReply<'GET /accounts/{account}/files'>['pins'][number]
type Reading = AdminReply<'GET /status'>['gateway']

export function Pins({
  pins,
  place,
  reading,
  port,
  onChanged,
}: {
  readonly pins: readonly Pin[]
  readonly place: KeyPlace | null
  readonly reading: Reading | null
  /** Port of the IPFS API. */
  readonly port: string
  onChanged(): void
}) {
  const [leaving, setLeaving] = useState<Pin | null>(null)
  const toast = useToast()
  const { id: account, role } = useAccount()
  async function setProvide({ cid, ...pin }: Pin): Promise<void> {
    const provide = pin.provide === 'none' ? 'all' : 'none'
    try {
      await call('PATCH /accounts/{account}/files/{cid}', { account, cid, provide })
      toast(provide === 'none' ? 'The pin is private' : 'The setting of the account applies')
      onChanged()
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <>
      <Table
        caption="Pins of the account"
        rows={pins}
        keyOf={({ cid }) => cid}
        empty={
          <Empty title="No files yet">Upload files, or pin a CID that is already on IPFS.</Empty>
        }
        columns={[
          {
            title: 'Name',
            cell: ({ name, mode, provide, announcedAt }) => (
              <span class="row">
                {name === '' ? <span class="soft">Untitled</span> : name}
                {mode === 'direct' && <Badge>direct</Badge>}
                {provide === 'none' && <Badge>private</Badge>}
                {announcedAt !== null && <Badge>announced {formatTime(announcedAt)}</Badge>}
              </span>
            ),
          },
          {
            title: 'CID',
            cell: ({ cid }) => (
              <span class="value">
                <span class="mono">{cid}</span>
                <CopyButton text={cid} title="Copy the CID" />
              </span>
            ),
          },
          {
            title: 'Size',
            number: true,
            cell: ({ bytes }) => (bytes === null ? 'counting' : formatBytes(bytes)),
          },
          { title: 'Pinned', cell: ({ created }) => formatTime(created) },
          {
            title: 'Actions',
            actions: true,
            cell: (pin) => (
              <span class="row">
                {isOpen(reading) && (
                  <a
                    class="button small"
                    href={linkOf(pin.cid, reading, port)}
                    target="_blank"
                    rel="noopener"
                  >
                    Open
                  </a>
                )}
                <Link class="button small" to={`/proof?cid=${pin.cid}`}>
                  Verify
                </Link>
                {role !== 'member' && (
                  <button
                    class="button small"
                    type="button"
                    title={
                      pin.provide === 'none'
                        ? 'Apply the setting of the account to this pin'
                        : 'Exclude this pin from the public pins of the account'
                    }
                    onClick={() => void setProvide(pin)}
                  >
                    {pin.provide === 'none' ? 'Not private' : 'Private'}
                  </button>
                )}
                {place !== null && (
                  <button class="button small danger" type="button" onClick={() => setLeaving(pin)}>
                    Unpin
                  </button>
                )}
              </span>
            ),
          },
        ]}
      />
      {pins.length > 0 && reading !== null && !isOpen(reading) && (
        <Note>
          To open pins in a browser, an operator must set gateway.host or gateway.deserialized, and
          gateway.public for readers without a key.
        </Note>
      )}
      {leaving !== null && place !== null && (
        <ConfirmDialog
          title={`Unpin ${titleOf(leaving)}?`}
          action={`Unpin ${titleOf(leaving)}`}
          onClose={() => setLeaving(null)}
          onConfirm={async () => {
            await (await callFiles(place, 'pin/rm', { arg: leaving.cid })).text()
            toast(`${titleOf(leaving)} is no longer pinned`)
            onChanged()
          }}
        >
          <p>The next garbage collection deletes its blocks, unless another pin contains them.</p>
          {leaving.provide !== 'none' && (
            <p>
              If the pin is public, Cairn stops serving it now. Copies that others fetched remain,
              and the IPFS network can name this server for up to 48 hours.
            </p>
          )}
          <p class="mono">{leaving.cid}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

/** The name of the pin, or the start of its CID. */
function titleOf({ name, cid }: Pin): string {
  return name === '' ? `${cid.slice(0, 12)}…` : name
}

function isOpen(reading: Reading | null): boolean {
  if (reading === null || !reading.enabled) return false
  return reading.local || (reading.public && (reading.deserialized || reading.host !== null))
}

function linkOf(cid: string, reading: Reading | null, port: string): string {
  const host = reading?.host ?? null
  if (host === null) return `/ipfs/${cid}`
  const authority = reading?.local === true && port !== '' ? `${host}:${port}` : host
  return `${location.protocol}//${authority}/ipfs/${cid}`
}
