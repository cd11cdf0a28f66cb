// The IPFS network of the server: mode, process, peers, addresses, announcements, transfer and failures. For operators.
// Tested by test/browser/network.test.ts
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { formatBytes, formatCount, formatNumber, formatTime } from '../app/format.ts'
import { useLoaded } from '../app/use-loaded.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Card, Facts, Figures, PageHead } from '../ui/card.tsx'
import { Value } from '../ui/copy.tsx'
import { Empty, Note, Show } from '../ui/note.tsx'
import { type Column, Table } from '../ui/table.tsx'

type Network = AdminReply<'GET /ipfs-network'>
type Failure = Network['failures'][number]

const refreshMs = 5_000
const guide = '/docs/guides/join-the-ipfs-network'

export function NetworkPage() {
  const found = useLoaded((signal) => call('GET /ipfs-network', {}, signal), [], {
    everyMs: refreshMs,
  })
  return (
    <>
      <PageHead
        title="IPFS network"
        about="How this server exchanges files with other IPFS nodes."
      />
      <Show loaded={found}>
        {(network) => (network.mode === 'off' ? <Off /> : <Running network={network} />)}
      </Show>
    </>
  )
}

function Off() {
  return (
    <Card>
      <Empty
        title="The IPFS network is off"
        action={
          <a class="button" href={guide}>
            Join the IPFS network
          </a>
        }
      >
        Cairn contacts no IPFS peers: it serves the files that it stores. The setting
        ipfsNetwork.mode turns the network on.
      </Empty>
    </Card>
  )
}

const states: Readonly<Record<Network['state'], readonly [tone: Tone, title: string]>> = {
  off: ['plain', 'Off'],
  starting: ['warn', 'Starting'],
  up: ['good', 'Running'],
  down: ['bad', 'Down'],
}

function Running({ network }: { readonly network: Network }) {
  const { mode, state, peer, peers, dhtPeers, wants, memory, restarts, invalidReplies } = network
  return (
    <div class="stack">
      {state === 'down' && (
        <Note tone="bad">
          The network process ended five times in ten minutes. Cairn starts it again later; reads of
          stored files go on.
        </Note>
      )}
      <Card title="Process">
        <Facts
          rows={[
            [
              'State',
              <Badge key="state" tone={states[state][0]}>
                {states[state][1]}
              </Badge>,
            ],
            ['Mode', mode === 'fetch' ? 'fetch: reads only' : 'provide: reads, announces, serves'],
            [
              'Peer ID',
              peer === null ? '–' : <Value key="peer" text={peer} title="Copy the peer ID" />,
            ],
            ['Memory', memory === null ? '–' : formatBytes(memory)],
            ['Restarts', formatNumber(restarts)],
          ]}
        />
      </Card>
      <Card title="Peers">
        <Figures
          rows={[
            { title: 'Connected by Cairn', value: formatNumber(peers.out) },
            { title: 'Connected to Cairn', value: formatNumber(peers.in) },
            { title: 'In the DHT', value: formatNumber(dhtPeers) },
            { title: 'Blocks awaited', value: formatNumber(wants) },
            { title: 'Refused requests', value: formatNumber(network.refusedWants) },
            { title: 'Invalid replies', value: formatNumber(invalidReplies) },
          ]}
        />
      </Card>
      <Addresses network={network} />
      <Announcements counts={network.announcements} />
      <Transfer transfer={network.transfer} />
      <Card title="Failures" about="The last ends of the network process." flush>
        <Table
          caption="Failures"
          columns={failureColumns}
          rows={[...network.failures].reverse()}
          keyOf={({ time, reason }) => `${time} ${reason}`}
          empty={<Empty title="No failures since the start" />}
        />
      </Card>
    </div>
  )
}

function Addresses({ network }: { readonly network: Network }) {
  const { mode, addresses, listenProblem } = network
  return (
    <Card title="Addresses" about="Other IPFS nodes connect to these.">
      {listenProblem !== null && <Note tone="warn">Cairn accepts no peers: {listenProblem}</Note>}
      {addresses.map((address) => (
        <Value key={address} text={address} title={`Copy the address ${address}`} />
      ))}
      {addresses.length === 0 && listenProblem === null && (
        <p class="soft">
          {mode === 'fetch' ? 'In mode fetch, Cairn accepts no connections.' : 'None yet.'}
        </p>
      )}
    </Card>
  )
}

function Announcements({ counts }: { readonly counts: Network['announcements'] }) {
  if (counts === null) return null
  const { planned, due, late, over, done, failed } = counts
  return (
    <Card
      title="Announcements"
      about="They let other nodes find public pins. Cairn repeats each one."
    >
      <Figures
        rows={[
          { title: 'Planned', value: formatNumber(planned) },
          { title: 'Due now', value: formatNumber(due) },
          { title: 'Late', value: formatNumber(late) },
          { title: 'Over the limit', value: formatNumber(over) },
          { title: 'Sent since the start', value: formatNumber(done) },
          { title: 'Failed since the start', value: formatNumber(failed) },
        ]}
      />
    </Card>
  )
}

function Transfer({ transfer }: { readonly transfer: Network['transfer'] }) {
  const { blocksReceived, blocksSent, bytesIn, bytesOut } = transfer
  return (
    <Card title="Transfer" about="Since the start of the server.">
      <Figures
        rows={[
          {
            title: 'Received',
            value: formatBytes(bytesIn),
            about: formatCount(blocksReceived, 'block'),
          },
          { title: 'Sent', value: formatBytes(bytesOut), about: formatCount(blocksSent, 'block') },
        ]}
      />
    </Card>
  )
}

const failureColumns: readonly Column<Failure>[] = [
  { title: 'Reason', cell: ({ reason }) => reason },
  { title: 'Time', cell: ({ time }) => formatTime(time) },
]
