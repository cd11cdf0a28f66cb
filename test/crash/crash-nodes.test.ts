// Two servers that share a database, a bucket and a Valkey, with a kill or a cut link in each round: of a server, an engine or the
// link between them. Afterwards everything acknowledged is readable at both servers, byte for byte, the storage of accounts equals
// a recount, and after collections the bucket contains exactly the objects of the rows. The seed is printed; set CAIRN_SEED to
// repeat a run. `npm run test:crash -- --nodes 2` runs 1000 rounds.
// Tests guarantee 2 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { missingToxiproxy } from '../engines/toxiproxy.ts'
import { missingValkey } from '../engines/valkey.ts'
import { missingVersitygw } from '../fakes/files/versitygw.ts'
import { usePostgres } from '../fakes/postgres-rows.ts'
import { type Random, seeded } from '../fakes/seeded.ts'
import { runCli } from '../started-server.ts'
import { assertAcknowledged, type BlockSizesByCid } from './check.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { assertCollected, assertRows, advanceHours } from './nodes-rows.ts'
import { runThrough } from './nodes-work.ts'
import { type Nodes, startNodes } from './nodes.ts'

const rounds = Number(process.env['CAIRN_NODES_ROUNDS'] ?? 20)
/** No round starts after this time; a busy machine completes fewer rounds. */
const secondsMax = Number(process.env['CAIRN_NODES_SECONDS'] ?? 300)
const seed = Number(process.env['CAIRN_SEED'] ?? randomInt(2 ** 31))
/** Rounds per set of servers and engines, so that the disk does not fill. */
const roundsOfNodes = 25

const postgres = usePostgres()
const missing = [missingVersitygw(), missingValkey(), missingToxiproxy()]
const skip = missing.find((reason) => reason !== false) ?? postgres.skip

test(
  `nothing that one of two servers acknowledged is lost in ${rounds} rounds with kills (seed ${seed})`,
  { skip },
  async (t) => {
    const began = performance.now()
    const isTime = () => performance.now() - began < secondsMax * 1000
    const tally = { rounds: 0, acknowledged: 0, pins: 0 }
    for (let number = 0; tally.rounds < rounds && isTime(); number += 1) {
      const nodes = await startNodes(t, postgres)
      const random = seeded(seed + number)
      const ledger = createLedger()
      const closures: BlockSizesByCid = new Map()
      const troubles = shuffled(nodes, random)
      for (let round = 0; round < roundsOfNodes && tally.rounds < rounds && isTime(); round += 1) {
        const trouble = troubles[round % troubles.length] ?? assert.fail('no trouble')
        try {
          await runThrough(nodes, ledger, {
            random,
            own: `${seed} ${number}.${round}`,
            trouble,
            before: random(30),
            troubleMs: random(1000),
          })
          await nodes.recovered()
          await check(nodes, ledger, { closures, random, all: false })
        } catch (error) {
          const what = `round ${number}.${round}: ${trouble.name} (seed ${seed})`
          throw new Error(`${what}\n${nodes.logs()}`, { cause: error })
        }
        await advanceHours(nodes, { hours: 3, isStopped: false })
        await nodes.query('INSERT INTO collection (asked) VALUES (0)')
        tally.rounds += 1
      }
      await check(nodes, ledger, { closures, random, all: true })
      tally.acknowledged += ledger.acknowledged
      tally.pins += [...ledger.entries.values()].filter(({ state }) => state === 'pinned').length
      await collectAll(nodes)
    }
    t.diagnostic(
      `${tally.rounds} of ${rounds} rounds, ${tally.acknowledged} acknowledgements, ${tally.pins} pins read back at both`,
    )
    assert.ok(tally.rounds > 0 && tally.acknowledged > tally.rounds)
  },
)

/** Every kind of trouble once before the first repetition, in random order. */
function shuffled({ troubles }: Nodes, random: Random): Nodes['troubles'] {
  return troubles
    .map((trouble) => ({ trouble, at: random(1000) }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ trouble }) => trouble)
}

async function check(
  nodes: Nodes,
  ledger: Ledger,
  of: { readonly closures: BlockSizesByCid; readonly random: Random; readonly all: boolean },
): Promise<void> {
  const [one, other] = of.random(2) === 0 ? [0, 1] : [1, 0]
  await assertAcknowledged(nodes.at(one), ledger, { ...of, alsoAt: nodes.at(other) })
  await assertRows(nodes)
}

async function collectAll(nodes: Nodes): Promise<void> {
  await nodes.stop()
  const { args, env } = nodes.command
  await assertCollected(nodes, () => runCli(['gc', ...args], env))
}
