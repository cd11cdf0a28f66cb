// Invalid replies of an upstream, one at a time: the request, the reply, and why Cairn refused it.
// Tested by test/browser/networks.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../../src/admin/client.ts'
import { call } from '../../app/api.ts'
import { formatNumber, formatTime } from '../../app/format.ts'
import { useLoaded } from '../../app/use-loaded.ts'
import { Facts } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Empty, Note, Show } from '../../ui/note.tsx'
import { Pager } from '../../ui/table.tsx'

type InvalidReply = AdminReply<'GET /invalid-replies'>['replies'][number]

export function Evidence({
  network,
  upstream,
  onClose,
}: {
  readonly network: string
  readonly upstream: string
  onClose(): void
}) {
  /** Paging positions (IDs) of the pages up to this one; the last is that of the shown reply. */
  const [befores, setBefores] = useState<readonly (number | undefined)[]>([undefined])
  const before = befores.at(-1)
  // Load one more than is shown, to detect an older one.
  const loaded = useLoaded(
    (signal) => call('GET /invalid-replies', { network, upstream, before, limit: 2 }, signal),
    [network, upstream, before],
  )
  return (
    <Dialog title={`Invalid replies of ${upstream}`} onClose={onClose} look="wide">
      <Show loaded={loaded}>
        {({ replies: [reply, older], counts }) => {
          if (reply === undefined) return <Empty title="No invalid reply is stored" />
          const count = counts.find((one) => one.network === network && one.upstream === upstream)
          return (
            <div class="stack">
              <Reply reply={reply} />
              <div class="row apart">
                <span class="soft" role="status">
                  {`${formatNumber(befores.length)} of ${formatNumber(count?.count ?? befores.length)}, the newest first`}
                </span>
                <Pager
                  onPrevious={befores.length === 1 ? null : () => setBefores(befores.slice(0, -1))}
                  onNext={older === undefined ? null : () => setBefores([...befores, reply.id])}
                />
              </div>
            </div>
          )
        }}
      </Show>
      <DialogFoot onClose={onClose} />
    </Dialog>
  )
}

function Reply({ reply }: { readonly reply: InvalidReply }) {
  const { time, method, block, expected, computed, params, response } = reply
  return (
    <>
      <Note tone="bad">
        <p>
          <b>Cairn refused this reply and served nothing of it.</b>{' '}
          {isHash(expected)
            ? 'Its bytes do not have the hash that the block commits to.'
            : 'It states a value that differs from the proved one.'}
        </p>
      </Note>
      <Facts
        rows={[
          ['Time', formatTime(time)],
          ['Method', method],
          ['Block', <Code key="block" text={block ?? 'none'} />],
          ['Expected', <Code key="expected" text={expected} />],
          ['Computed', <Code key="computed" text={computed} />],
        ]}
      />
      <div class="stack tight">
        <h3>Request</h3>
        <CodeBlock title="the request" text={params} wrapped />
      </div>
      <div class="stack tight">
        <h3>Reply</h3>
        <CodeBlock title="the reply" text={response} wrapped />
      </div>
    </>
  )
}

function isHash(text: string): boolean {
  return /^0x[0-9a-f]{64}$/.test(text)
}

function Code({ text }: { readonly text: string }) {
  return <span class="mono">{text}</span>
}
