// One network with its upstreams: health, calls, invalid replies; test, add, edit and remove.
// Tested by test/browser/networks.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../../src/admin/client.ts'
import { call } from '../../app/api.ts'
import { formatAge, formatAgo, formatCount, formatNumber } from '../../app/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { useConfirming } from '../../ui/confirming.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { useSending } from '../../ui/form.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Note, Problem } from '../../ui/note.tsx'
import { Table } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'
import { percent, provedOf } from '../../usage/outcome-series.ts'
import { EditNetwork } from './edit-network.tsx'
import { EditUpstream } from './edit-upstream.tsx'
import { Evidence } from './evidence.tsx'
import { NetworkForm } from './network-form.tsx'
import { type Probe, ProbeTable } from './probe-table.tsx'
import { sum, upstreamColumns, type UpstreamRow } from './upstream-columns.tsx'

export type Network = AdminReply<'GET /networks'>['networks'][number]
export type Health = AdminReply<'GET /upstreams'>
type Answers = AdminReply<'GET /usage'>['report']['verified']
type InvalidCount = AdminReply<'GET /invalid-replies'>['counts'][number]

/** Share of proved answers above which the badge is green. */
const provedGood = 0.9

export function NetworkCard({
  network,
  headAgeMs,
  answers,
  health,
  invalidReplies,
  folded,
  onChanged,
}: {
  readonly network: Network
  /** Null: unknown. */
  readonly headAgeMs: number | null
  /** Answers of this network in the last 24 hours, by verification level. */
  readonly answers: Answers
  readonly health: Health
  /** Invalid replies of all networks. */
  readonly invalidReplies: readonly InvalidCount[]
  /** Whether the upstreams are hidden at first. */
  readonly folded: boolean
  onChanged(): void
}) {
  const [isOpen, setOpen] = useState(!folded)
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<string | null>(null)
  const [leaving, setLeaving] = useState(false)
  const [changing, setChanging] = useState(false)
  const [editing, setEditing] = useState<string | null>(null)
  /** Name of the upstream whose invalid replies are shown. */
  const [opened, setOpened] = useState<string | null>(null)
  const [probe, setProbe] = useState<Probe | null>(null)
  const testing = useSending()
  const pausing = useSending()
  const confirming = useConfirming()
  const toast = useToast()
  const { name, origin, embedded, isDefault, problem } = network
  const isSaved = origin === 'saved'
  const invalid = invalidReplies
    .filter((one) => one.network === name)
    .toSorted((one, other) => other.last - one.last)
  const rows = rowsOf(network, health, invalid)
  const failure = lastFailureOf(rows)
  const proved = provedOf(answers)
  const edited = rows.find((one) => one.name === editing)
  const test = async (): Promise<void> => {
    setProbe(await call('POST /networks/{network}/test', { network: name }))
  }
  const pause = async (upstream: string, paused: boolean): Promise<void> => {
    const upstreams = rows.map((one) =>
      one.name === upstream ? { name: one.name, paused } : { name: one.name },
    )
    await confirming(() => call('PATCH /networks/{network}', { network: name, upstreams }))
    toast(paused ? `${upstream} is paused` : `${upstream} gets calls again`)
    onChanged()
  }
  const drop = async (upstream: string): Promise<void> => {
    const upstreams = rows.filter((one) => one.name !== upstream).map((one) => ({ name: one.name }))
    await confirming(() => call('PATCH /networks/{network}', { network: name, upstreams }))
    toast(`${upstream} is removed`)
    onChanged()
  }
  return (
    <section class="card flush" aria-label={name}>
      <header>
        <div class="row">
          <h2>{name}</h2>
          <span class="soft">{aboutNetwork(network, headAgeMs)}</span>
          {isDefault && <Badge tone="accent">default</Badge>}
          {!isSaved && !embedded && <Badge>from the settings</Badge>}
        </div>
        <div class="row">
          {proved.all > 0 && (
            <span
              title={`${formatNumber(proved.proof)} of ${formatNumber(proved.all)} answers from chain data in 24 hours`}
            >
              <Badge tone={proved.proof / proved.all >= provedGood ? 'good' : 'plain'}>
                {`${percent(proved.proof, proved.all)} proved`}
              </Badge>
            </span>
          )}
          {folded && !embedded && (
            <button
              class="button small"
              type="button"
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? 'Hide upstreams' : `Show ${formatCount(rows.length, 'upstream')}`}
            </button>
          )}
          {isSaved && (
            <button class="button small" type="button" onClick={() => setAdding(true)}>
              <Icon name="plus" size={16} /> Add upstream
            </button>
          )}
          {!embedded && (
            <button
              class="button small"
              type="button"
              disabled={testing.busy}
              onClick={() => void testing.run(test)}
            >
              {testing.busy ? 'Testing…' : 'Test'}
            </button>
          )}
          {isSaved && (
            <Menu
              title={`Actions for ${name}`}
              small
              items={[
                { title: 'Settings…', icon: 'settings', onChoose: () => setChanging(true) },
                {
                  title: 'Remove network…',
                  icon: 'trash',
                  danger: true,
                  onChoose: () => setLeaving(true),
                },
              ]}
            />
          )}
        </div>
      </header>
      {!embedded && isOpen && (
        <Table
          caption={`Upstreams of ${name}`}
          rows={rows}
          keyOf={(upstream) => upstream.name}
          columns={upstreamColumns({
            network: name,
            edit: isSaved ? setEditing : null,
            remove: rows.length > 1 ? setRemoving : null,
            pause: (upstream, paused) => void pausing.run(() => pause(upstream, paused)),
            active: rows.filter(({ paused }) => !paused).length,
            onEvidence: setOpened,
          })}
        />
      )}
      {(problem !== null ||
        failure !== null ||
        invalid.length > 0 ||
        probe !== null ||
        testing.error !== null ||
        pausing.error !== null) && (
        <div class="card-body stack">
          {problem !== null && <Note tone="bad">{problem}</Note>}
          {invalid[0] !== undefined && (
            <InvalidReplies
              last={invalid[0]}
              onOpen={() => setOpened(invalid[0]?.upstream ?? null)}
            />
          )}
          {failure !== null && (
            <p class="soft">
              {`Last failure: ${failure.name}, ${formatAgo(failure.time, Date.now())}: ${failure.message}`}
            </p>
          )}
          {testing.error !== null && <Problem error={testing.error} />}
          {pausing.error !== null && <Problem error={pausing.error} />}
          {probe !== null && <ProbeTable probe={probe} />}
        </div>
      )}
      {adding && (
        <div class="card-body">
          <NetworkForm
            network={{ name, upstreams: rows.map((upstream) => upstream.name) }}
            onDone={onChanged}
            onClose={() => setAdding(false)}
          />
        </div>
      )}
      {opened !== null && (
        <Evidence network={name} upstream={opened} onClose={() => setOpened(null)} />
      )}
      {changing && (
        <EditNetwork network={network} onDone={onChanged} onClose={() => setChanging(false)} />
      )}
      {edited !== undefined && (
        <EditUpstream
          network={name}
          upstream={edited}
          upstreams={rows.map((upstream) => upstream.name)}
          onDone={onChanged}
          onClose={() => setEditing(null)}
        />
      )}
      {removing !== null && (
        <ConfirmDialog
          title={`Remove “${removing}” from ${name}?`}
          action={`Remove ${removing}`}
          keep="Keep upstream"
          onConfirm={() => drop(removing)}
          onClose={() => setRemoving(null)}
        >
          Cairn asks the other upstreams of {name} from now on.
        </ConfirmDialog>
      )}
      {leaving && (
        <ConfirmDialog
          title={`Remove the network “${name}”?`}
          action={`Remove ${name}`}
          keep="Keep network"
          typed={name}
          onConfirm={async () => {
            await confirming(() => call('DELETE /networks/{network}', { network: name }))
            toast(`${name} is removed`)
            onChanged()
          }}
          onClose={() => setLeaving(false)}
        >
          Calls to it fail with 404 from now on. Keys and stored content stay.
        </ConfirmDialog>
      )}
    </section>
  )
}

function rowsOf(
  { name, upstreams }: Network,
  health: Health,
  invalid: readonly InvalidCount[],
): readonly UpstreamRow[] {
  const own = health.upstreams.filter((one) => one.network === name)
  const calls = sum(own.map(({ history }) => sum(history.calls)))
  return upstreams.map((upstream) => {
    const found = own.find((one) => one.name === upstream.name) ?? null
    return {
      ...upstream,
      health: found,
      share: found === null || calls === 0 ? null : sum(found.history.calls) / calls,
      invalidReplies: invalid.find((one) => one.upstream === upstream.name)?.count ?? 0,
    }
  })
}

/** Older failures appear only in the counts. */
const failureShownMs = 24 * 3_600_000

function lastFailureOf(
  rows: readonly UpstreamRow[],
): { readonly name: string; readonly time: number; readonly message: string } | null {
  const failures = rows
    .flatMap(({ name, health }) => {
      const last = health?.lastFailure ?? null
      return last === null ? [] : [{ name, ...last }]
    })
    .filter(({ time }) => Date.now() - time < failureShownMs)
  return failures.toSorted((one, other) => other.time - one.time)[0] ?? null
}

function aboutNetwork(
  { chainId, live, embedded, fork }: Network,
  headAgeMs: number | null,
): string {
  const chain = chainId === null ? 'unknown chain' : `chain ${chainId}`
  const head = live?.head ?? null
  const age = embedded || headAgeMs === null ? '' : `, ${formatAge(headAgeMs)} ago`
  const block = head === null ? 'no recent block' : `head ${formatNumber(Number(head))}${age}`
  return `${chain} · ${block}${embedded ? ` · ${fork === null ? 'built in, no upstream needed' : `fork of ${fork}`}` : ''}`
}

/** The upstream with the latest invalid reply; the table column shows those of the others. */
function InvalidReplies({
  last: { upstream, count, last },
  onOpen,
}: {
  readonly last: InvalidCount
  onOpen(): void
}) {
  const replies = formatCount(count, 'reply').replace('replys', 'replies')
  return (
    <Note tone="bad">
      <p>
        <b>{`${upstream} sent ${replies} that ${count === 1 ? 'contradicts its' : 'contradict their'} proof.`}</b>{' '}
        {`Last: ${formatAgo(last, Date.now())}. None was served.`}{' '}
        <button class="link" type="button" onClick={onOpen}>
          See the evidence
        </button>
      </p>
    </Note>
  )
}
