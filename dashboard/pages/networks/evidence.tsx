// One invalid reply of an upstream, with its evidence.
import type { AdminReply } from '../../../src/admin/client.ts'
import { formatTime } from '../../app/format.ts'
import { Facts } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'

export type InvalidReply = AdminReply<'GET /upstreams'>['lies'][number]

export function Evidence({ reply, onClose }: { readonly reply: InvalidReply; onClose(): void }) {
  return (
    <Dialog title={`Invalid reply of ${reply.upstream}`} onClose={onClose} look="wide">
      <Facts
        rows={[
          ['Time', formatTime(reply.time)],
          ['Method', reply.method],
          [
            'Block',
            <span key="block" class="mono">
              {reply.block ?? 'none'}
            </span>,
          ],
          [
            'Expected',
            <span key="expected" class="mono">
              {reply.expected}
            </span>,
          ],
          [
            'Computed',
            <span key="computed" class="mono">
              {reply.computed}
            </span>,
          ],
        ]}
      />
      <div class="stack tight">
        <h3>Request</h3>
        <CodeBlock title="the request" text={reply.params} wrapped />
      </div>
      <div class="stack tight">
        <h3>Reply</h3>
        <CodeBlock title="the reply" text={reply.response} wrapped />
      </div>
      <DialogFoot onClose={onClose} />
    </Dialog>
  )
}
