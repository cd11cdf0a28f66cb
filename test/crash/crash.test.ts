// kill -9 at random instants during adds, imports, pins, key creation and mining: every acknowledged change exists after the
// restart. The seed is printed; set CAIRN_SEED to repeat a run. `npm run test:crash` runs 500 rounds.
// Tests guarantee 2 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { JsonRpcProvider, Wallet } from 'ethers'
import { type CarBlock, writeCar } from '../../src/codec/ipld/car-writer.ts'
import { cidOf, dagPbCodec, rawCodec } from '../../src/codec/ipld/cid.ts'
import { encodeDagNode } from '../../src/codec/ipld/dag-pb.ts'
import { multihashOf } from '../../src/codec/ipld/multihash.ts'
import { encodeUnixfs } from '../../src/codec/ipld/unixfs.ts'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { runCliInProcess } from '../cli-in-process.ts'
import { streamOf } from '../fakes/files/files-fixture.ts'
import { seeded } from '../fakes/seeded.ts'
import { rpc, type Started, startCairn, temporaryFolder } from '../started-server.ts'

const rounds = Number(process.env['CAIRN_CRASH_ROUNDS'] ?? 12)
/** No round starts after this time; a busy machine completes fewer rounds. */
const secondsMax = Number(process.env['CAIRN_CRASH_SECONDS'] ?? 40)
const seed = Number(process.env['CAIRN_SEED'] ?? randomInt(2 ** 31))

type Acknowledged = {
  readonly files: Map<string, string>
  readonly keys: { apiKey: string; apiKeySecret: string }[]
  readonly transactions: string[]
}

test(`no acknowledged write is lost in ${rounds} kills (seed ${seed})`, async (t) => {
  const random = seeded(seed)
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const acknowledged: Acknowledged = { files: new Map(), keys: [], transactions: [] }
  // Each start checks the acknowledged changes of the previous round; the end checks all of them again.
  let recent: Acknowledged = { files: new Map(), keys: [], transactions: [] }
  let first: { apiKey: string; apiKeySecret: string } | null = null
  const [{ privateKey } = assert.fail('no account')] = devAccounts
  const began = performance.now()
  const isTime = () => performance.now() - began < secondsMax * 1000

  let round = 0
  for (; round < rounds && isTime(); round++) {
    const cairn = await startCairn({ dataDir })
    first ??= { apiKey: cairn.apiKey, apiKeySecret: cairn.apiKeySecret }
    await assertKept(cairn, first, recent)
    recent = { files: new Map(), keys: [], transactions: [] }
    await workUntilKilled(cairn, first, {
      acknowledged: recent,
      privateKey,
      round,
      stopAfter: 1 + random(90),
    })
    for (const [cid, text] of recent.files) acknowledged.files.set(cid, text)
    acknowledged.keys.push(...recent.keys)
    acknowledged.transactions.push(...recent.transactions)
  }
  const cairn = await startCairn({ dataDir })
  assert.ok(first !== null)
  await assertKept(cairn, first, acknowledged)
  await cairn.stop()
  t.diagnostic(
    `${round} of ${rounds} kills, ${acknowledged.files.size} files, ${acknowledged.keys.length} keys, ${acknowledged.transactions.length} transactions kept`,
  )
  assert.ok(acknowledged.files.size > round / 2 && acknowledged.transactions.length > round / 2)
})

async function workUntilKilled(
  cairn: Started,
  key: { apiKey: string; apiKeySecret: string },
  plan: { acknowledged: Acknowledged; privateKey: string; round: number; stopAfter: number },
): Promise<void> {
  const { acknowledged } = plan
  let done = 0
  let killed = false
  let kill: Promise<void> | undefined
  const acknowledge = () => {
    if (++done >= plan.stopAfter && kill === undefined) {
      killed = true
      kill = cairn.kill()
    }
  }
  const until = async (step: (turn: number) => Promise<void>) => {
    for (let turn = 0; !killed && turn < 1000; turn++) {
      try {
        await step(turn)
        acknowledge()
      } catch (error) {
        if (!killed) throw error
      }
    }
  }
  const wallet = new Wallet(plan.privateKey)
  let nonce = Number(
    (
      (await rpc(cairn.url, key.apiKey, 'eth_getTransactionCount', [wallet.address, 'latest'])) as {
        result: string
      }
    ).result,
  )
  const mine = async () => {
    const raw = await wallet.signTransaction({
      type: 2,
      chainId: 1337,
      nonce: nonce++,
      to: wallet.address,
      value: 1n,
      gasLimit: 21000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n,
    })
    const { result } = await rpc(cairn.url, key.apiKey, 'eth_sendRawTransaction', [raw])
    assert.equal(typeof result, 'string')
    acknowledged.transactions.push(result as string)
  }
  // The EVM starts with the first block. From then on, every kind of work is in progress at the kill.
  await mine()
  await Promise.all([
    ...[0, 1].map((lane) =>
      until(async (turn) => {
        const text = `round ${plan.round} lane ${lane} turn ${turn} ${'.'.repeat(turn * 5000)}`
        acknowledged.files.set(await addAndPin(cairn.url, key, text), text)
      }),
    ),
    until(async (turn) => {
      const text = `round ${plan.round} car ${turn} ${'.'.repeat(turn * 5000)}`
      acknowledged.files.set(await importCar(cairn.url, key, text), text)
      const made = await runCliInProcess(cairn.dataDir, 'keys', 'create')
      acknowledged.keys.push(made as { apiKey: string; apiKeySecret: string })
    }),
    until(mine),
  ])
  await kill
}

async function assertKept(
  cairn: Started,
  key: { apiKey: string; apiKeySecret: string },
  acknowledged: Acknowledged,
): Promise<void> {
  const pinned = await post(cairn.url, key, 'pin/ls?type=recursive')
  const { Keys } = JSON.parse(pinned.toString()) as { Keys: Record<string, unknown> }
  for (const [cid, text] of acknowledged.files) {
    assert.ok(cid in Keys, `${cid} is still pinned`)
    assert.equal((await post(cairn.url, key, `cat?arg=${cid}`)).toString(), text)
  }
  for (const made of acknowledged.keys) {
    assert.equal((await rpc(cairn.url, made.apiKey, 'eth_chainId')).result, '0x539')
  }
  const provider = new JsonRpcProvider(`${cairn.url}/v3/${key.apiKey}`, 1337, {
    staticNetwork: true,
  })
  try {
    for (const hash of acknowledged.transactions) {
      assert.equal((await provider.getTransactionReceipt(hash))?.status, 1)
    }
  } finally {
    provider.destroy()
  }
}

async function addAndPin(
  url: string,
  key: { apiKey: string; apiKeySecret: string },
  text: string,
): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([text]))
  const { Hash } = JSON.parse((await post(url, key, 'add', form)).toString()) as { Hash: string }
  await post(url, key, `pin/add?arg=${Hash}&name=kept`)
  return Hash
}

/** Imports a CAR: a file of two raw leaves, whose root the import pins. */
async function importCar(
  url: string,
  key: { apiKey: string; apiKeySecret: string },
  text: string,
): Promise<string> {
  const half = Math.ceil(text.length / 2)
  const leaves = [text.slice(0, half), text.slice(half)].map((part) =>
    blockOf(rawCodec, Buffer.from(part)),
  )
  const root = blockOf(
    dagPbCodec,
    encodeDagNode({
      links: leaves.map(({ cid, block }) => ({
        cid: cid.bytes,
        name: '',
        size: BigInt(block.length),
      })),
      data: encodeUnixfs({
        type: 'file',
        fileSize: BigInt(text.length),
        blockSizes: leaves.map(({ block }) => BigInt(block.length)),
      }),
    }),
  )
  const car = await Array.fromAsync(writeCar([root.cid], streamOf([root, ...leaves])))
  const form = new FormData()
  form.append('file', new Blob([Buffer.concat(car)]))
  const reply = await post(url, key, 'dag/import', form)
  const cid = root.cid.toString()
  assert.deepEqual(JSON.parse(reply.toString()), { Root: { Cid: { '/': cid }, PinErrorMsg: '' } })
  return cid
}

function blockOf(codec: number, block: Uint8Array): CarBlock {
  return { cid: cidOf(1, codec, multihashOf('sha2-256', block)), block }
}

async function post(
  url: string,
  key: { apiKey: string; apiKeySecret: string },
  command: string,
  body?: FormData,
): Promise<Buffer> {
  const authorization = `Basic ${btoa(`${key.apiKey}:${key.apiKeySecret}`)}`
  const response = await fetch(`${url}/api/v0/${command}`, {
    method: 'POST',
    headers: { authorization },
    ...(body === undefined ? {} : { body }),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal(response.status, 200, bytes.toString())
  return bytes
}
