// One network with its upstreams: health, latency, invalid replies; test, add and remove.
// Tested by test/browser/networks.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../../src/admin/client.ts'
import { call } from '../../app/api.ts'
import { formatAgo, formatCount, formatMs, formatNumber } from '../../app/format.ts'
import { Badge, State, type Tone } from '../../ui/badge.tsx'
import { useConfirming } from '../../ui/confirming.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { useSending } from '../../ui/form.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Note, Problem } from '../../ui/note.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'
import { Evidence, type InvalidReply } from './evidence.tsx'
import { NetworkForm } from './network-form.tsx'
import { type Probe, ProbeTable } from './probe-table.tsx'

export type Network = AdminReply<'GET /networks'>['networks'][number]
export type Health = AdminReply<'GET /upstreams'>
type Upstream = Network['upstreams'][number] & {
  readonly health: Health['upstreams'][number] | null
}

const states: Readonly<Record<string, readonly [tone: Tone, title: string]>> = {
  ok: ['good', 'Healthy'],
  open: ['warn', 'Paused after failures'],
  quarantined: ['bad', 'Quarantined'],
  cordoned: ['warn', 'Cordoned'],
  'wrong-chain': ['bad', 'Wrong network'],
}

export function NetworkCard({
  network,
  health,
  onChanged,
}: {
  readonly network: Network
  readonly health: Health
  onChanged(): void
}) {
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<string | null>(null)
  const [leaving, setLeaving] = useState(false)
  const [opened, setOpened] = useState<InvalidReply | null>(null)
  const [probe, setProbe] = useState<Probe | null>(null)
  const testing = useSending()
  const confirming = useConfirming()
  const toast = useToast()
  const { name, origin, embedded, isDefault, problem } = network
  const isSaved = origin === 'saved'
  const lies = health.lies.filter((lie) => lie.network === name)
  const rows = network.upstreams.map((upstream): Upstream => {
    const found = health.upstreams.find((one) => one.network === name && one.name === upstream.name)
    return { ...upstream, health: found ?? null }
  })
  const test = async (): Promise<void> => {
    setProbe(await call('POST /networks/{network}/test', { network: name }))
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
          <span class="soft">{aboutNetwork(network)}</span>
          {isDefault && <Badge tone="accent">default</Badge>}
          {!isSaved && !embedded && <Badge>from the settings</Badge>}
        </div>
        <div class="row">
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
      {!embedded && (
        <Table
          caption={`Upstreams of ${name}`}
          rows={rows}
          keyOf={(upstream) => upstream.name}
          columns={columnsOf(isSaved && rows.length > 1 ? setRemoving : null, name)}
        />
      )}
      {(problem !== null || lies.length > 0 || probe !== null || testing.error !== null) && (
        <div class="card-body stack">
          {problem !== null && <Note tone="bad">{problem}</Note>}
          {lies[0] !== undefined && (
            <InvalidReplies lies={lies} last={lies[0]} onOpen={() => setOpened(lies[0] ?? null)} />
          )}
          {testing.error !== null && <Problem error={testing.error} />}
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
      {opened !== null && <Evidence reply={opened} onClose={() => setOpened(null)} />}
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

function aboutNetwork({ chainId, live, embedded }: Network): string {
  const chain = chainId === null ? 'unknown chain' : `chain ${chainId}`
  const head = live?.head ?? null
  const block = head === null ? 'no recent block' : `head ${formatNumber(Number(head))}`
  return `${chain} · ${block}${embedded ? ' · built in, no upstream needed' : ''}`
}

function columnsOf(
  remove: ((upstream: string) => void) | null,
  network: string,
): readonly Column<Upstream>[] {
  return [
    {
      title: 'Upstream',
      cell: ({ name, url }) => (
        <span class="two">
          <span>{name}</span>
          <small>{url}</small>
        </span>
      ),
    },
    {
      title: 'Health',
      keep: true,
      cell: ({ health, trusted }) => {
        const [tone, title] = states[health?.state ?? ''] ?? (['plain', 'Unknown'] as const)
        return <State tone={tone}>{trusted ? `${title}, trusted` : title}</State>
      },
    },
    {
      title: 'Answered',
      number: true,
      hides: 'wide',
      cell: ({ health }) => (health === null ? '–' : `${Math.round(health.successRate * 100)}%`),
    },
    {
      title: 'p95',
      number: true,
      cell: ({ health }) =>
        health === null || health.p95Ms === null ? '–' : formatMs(health.p95Ms),
    },
    {
      title: 'Head',
      number: true,
      cell: ({ health }) => (health?.head == null ? '–' : formatNumber(Number(health.head))),
    },
    {
      title: 'New blocks',
      hides: 'extra',
      cell: ({ health }) => (health?.heads === 'pushed' ? 'Pushed' : 'Polled'),
    },
    {
      title: 'Invalid replies',
      number: true,
      hides: 'wide',
      cell: ({ health }) => (
        <span class={(health?.lies ?? 0) > 0 ? 'bad' : ''}>{formatNumber(health?.lies ?? 0)}</span>
      ),
    },
    ...(remove === null
      ? []
      : [
          {
            title: 'Actions',
            actions: true,
            cell: ({ name }: Upstream) => (
              <Menu
                title={`Actions for ${name} of ${network}`}
                small
                items={[
                  {
                    title: 'Remove…',
                    icon: 'trash',
                    danger: true,
                    onChoose: () => remove(name),
                  },
                ]}
              />
            ),
          },
        ]),
  ]
}

function InvalidReplies({
  lies,
  last,
  onOpen,
}: {
  readonly lies: readonly InvalidReply[]
  readonly last: InvalidReply
  onOpen(): void
}) {
  const count = formatCount(lies.length, 'reply').replace('replys', 'replies')
  return (
    <Note tone="bad">
      <p>
        <b>{`${last.upstream} sent ${count} that contradict their proof.`}</b>{' '}
        {`Last: ${last.method}, ${formatAgo(last.time, Date.now())}. None was served.`}{' '}
        <button class="link" type="button" onClick={onOpen}>
          See the evidence
        </button>
      </p>
    </Note>
  )
}
