// Replays a recorded read and shows the differences.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../../src/admin/client.ts'
import { call } from '../../app/api.ts'
import type { KeyPlace } from '../../app/as-key.ts'
import { formatCount, formatNumber } from '../../app/format.ts'
import { Badge, ProofBadge } from '../../ui/badge.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Form, useSending } from '../../ui/form.tsx'
import { Note } from '../../ui/note.tsx'
import type { Request } from './waterfall.tsx'

type Replayed = AdminReply<'POST /accounts/{account}/keys/{key}/requests/{request}/replay'>

const path = 'POST /accounts/{account}/keys/{key}/requests/{request}/replay'

export function Replay({
  place,
  request,
  at,
}: {
  readonly place: KeyPlace
  readonly request: Request
  /** Index of the call in the request. */
  readonly at: number
}) {
  const sending = useSending()
  const [block, setBlock] = useState('')
  const [upstream, setUpstream] = useState('')
  const [replayed, setReplayed] = useState<Replayed | null>(null)
  const send = async (): Promise<void> => {
    setReplayed(null)
    const again = await call(path, {
      account: place.account,
      key: place.key,
      request: request.id,
      call: at,
      ...(block.trim() === '' ? {} : { block: block.trim() }),
      ...(upstream === '' ? {} : { upstream }),
    })
    setReplayed(again)
  }
  return (
    <div class="stack">
      <Form sending={sending} action="Run again" onSend={send} fields={['block']}>
        <div class="grid">
          <TextField
            title="Block"
            hint="latest, 0x10 or a hash; if empty, the block of the request"
            value={block}
            maxLength={66}
            autocomplete="off"
            error={sending.of('block')}
            onValue={setBlock}
          />
          {request.networkUpstreams.length > 0 && (
            <SelectField
              title="Upstream"
              value={upstream}
              options={[
                { value: '', title: 'Automatic' },
                ...request.networkUpstreams.map((name) => ({
                  value: name,
                  title: name,
                })),
              ]}
              onValue={setUpstream}
            />
          )}
        </div>
      </Form>
      {replayed !== null && <Outcome replayed={replayed} />}
    </div>
  )
}

function Outcome({ replayed }: { readonly replayed: Replayed }) {
  const { before, after, differences, differencesLeft, verified, block, units } = replayed
  return (
    <div class="stack tight" aria-live="polite">
      <div class="row">
        <Badge tone={after.outcome === 'ok' ? 'good' : 'bad'}>{after.outcome}</Badge>
        {verified !== null && <ProofBadge label={verified} />}
        {block !== null && <span class="soft">of block {formatNumber(Number(block.number))}</span>}
        <span class="soft">{formatCount(units, 'unit')}</span>
      </div>
      {before.outcome !== after.outcome && (
        <Note tone="warn">
          Outcome then: {before.outcome}. Outcome now: {after.outcome}.
        </Note>
      )}
      {differences === null && (
        <Note>One of the two answers was not recorded in full, so they cannot be compared.</Note>
      )}
      {differences?.length === 0 && <Note tone="good">The answer is the same.</Note>}
      {differences !== null && differences.length > 0 && (
        <>
          <p>
            {differences.length + differencesLeft === 1
              ? 'One value differs:'
              : `${formatNumber(differences.length + differencesLeft)} values differ:`}
          </p>
          <ul class="differences">
            {differences.map(({ at, ...values }) => (
              <li key={at}>
                {at !== '' && <small class="mono">{at}</small>}
                {'before' in values && (
                  <del>
                    <span class="unseen">then </span>
                    {shown(values.before)}
                  </del>
                )}
                {'after' in values && (
                  <ins>
                    <span class="unseen">now </span>
                    {shown(values.after)}
                  </ins>
                )}
              </li>
            ))}
          </ul>
          {differencesLeft > 0 && <p class="soft">and {formatNumber(differencesLeft)} more</p>}
        </>
      )}
    </div>
  )
}

const shownCharsMax = 2_000

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text
}
