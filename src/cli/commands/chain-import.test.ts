import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { writeChainFile } from '../../../bench/data/chain-file.ts'
import { bin } from '../../../test/started-server.ts'
import { pause } from '../../base/clock.ts'
import { toHex } from '../../base/hex.ts'
import { splitBlocks } from '../../codec/ethereum/block.ts'
import { lockFolder } from '../../db/lock.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { openChainIndex } from '../../devchain/chain-index.ts'
import { runProgram } from '../program.ts'

const vectors = `${process.env['CAIRN_VECTORS'] ?? '../shared/vectors'}/rpc-compat`
const skip = existsSync(vectors)
  ? false
  : 'this compares with data of others, which is not here: set CAIRN_VECTORS to the folder of the vectors'
const folder = mkdtempSync(join(tmpdir(), 'cairn-chain-import-'))
after(() => rmSync(folder, { recursive: true }))

/** Runs the command. `err`: its standard error without progress lines, which only a slow machine prints. */
async function run(args: readonly string[]) {
  let out = ''
  let err = ''
  const code = await runProgram(['chain', 'import', ...args], {
    out: (text) => (out += text),
    err: (text) => (err += text),
    readInput: async () => '',
    env: {},
  })
  return { code, out, err: err.replaceAll(/^blocks executed and verified: .*\n/gm, '') }
}

const of = (name: string) => join(folder, name)
const recorded = ['--genesis', `${vectors}/genesis.json`, '--blocks', `${vectors}/chain.rlp`]

test(
  "another client's chain is executed to its known head, and again there is nothing to do",
  { skip },
  async () => {
    const args = [
      ...recorded,
      '--head',
      `${vectors}/headfcu.json`,
      '--data-dir',
      of('known'),
      '--json',
    ]
    const first = await run(args)
    assert.equal(first.code, 0, first.err)
    const hash = '0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7'
    assert.partialDeepStrictEqual(JSON.parse(first.out), {
      ok: true,
      added: 54,
      head: { number: 54, hash },
    })
    const again = await run(args)
    assert.partialDeepStrictEqual(JSON.parse(again.out), {
      ok: true,
      added: 0,
      head: { number: 54 },
    })
  },
)

test('a chain with an unexpected last block is reported, with exit code 1', { skip }, async () => {
  const wanted = `0x${'1'.repeat(64)}`
  const { code, out } = await run([...recorded, '--head', wanted, '--data-dir', of('other')])
  assert.equal(code, 1)
  assert.match(out, /^54 blocks executed.*\n.*block 54, 0xd226.*\nThe expected last block is 0x111/)
})

test('an import continues after a kill where it stopped', async () => {
  const { path, head } = await writeChainFile(folder, 240)
  // An import that ends before the kill proves nothing: start another.
  let dataDir = ''
  let keptBlocks = 240
  for (let tries = 1; keptBlocks === 240 && tries <= 10; tries++) {
    dataDir = of(`killed-${tries}`)
    keptBlocks = await killedImport(path, dataDir)
  }
  assert.ok(keptBlocks >= 20 && keptBlocks < 240, `${keptBlocks} blocks were kept`)
  const { out } = await run([
    '--blocks',
    path,
    '--head',
    toHex(head),
    '--data-dir',
    dataDir,
    '--json',
  ])
  assert.partialDeepStrictEqual(JSON.parse(out), {
    ok: true,
    added: 240 - keptBlocks,
    head: { number: 240 },
  })
})

/** Starts an import, kills it when 20 blocks are stored, and returns the number of stored blocks. */
async function killedImport(path: string, dataDir: string): Promise<number> {
  const child = spawn(
    process.execPath,
    [bin, 'chain', 'import', '--blocks', path, '--data-dir', dataDir],
    { stdio: 'ignore' },
  )
  const ended = once(child, 'exit')
  while (keptIn(dataDir) < 20n && child.exitCode === null) await pause(5)
  child.kill('SIGKILL')
  await ended
  return Number(keptIn(dataDir))
}

function keptIn(dataDir: string): bigint {
  const path = join(dataDir, 'cairn.db')
  if (!existsSync(path)) return 0n
  try {
    const db = openDatabase(path, { readOnly: true })
    const head = openChainIndex(db, 'dev').head()
    db.close()
    return head?.number ?? 0n
  } catch {
    // The database file exists, its tables do not yet.
    return 0n
  }
}

test(
  'a folder that a server holds, and files that are none, are refused in one sentence',
  { skip },
  async () => {
    const dataDir = of('held')
    await run([...recorded, '--data-dir', dataDir])
    const unlock = lockFolder(dataDir)
    const imported = await run([...recorded, '--data-dir', dataDir])
    unlock()
    assert.equal(imported.code, 1)
    assert.match(imported.err, /^cairn: another Cairn server is running on .*\n$/)
    const whole = readFileSync(`${vectors}/chain.rlp`)
    writeFileSync(of('cut.rlp'), whole.subarray(0, whole.length - 1))
    const cut = await run(['--blocks', of('cut.rlp'), '--data-dir', of('none')])
    assert.match(cut.err, /cut\.rlp is truncated, or not a file of blocks \(concatenated RLP\)\n$/)
    writeFileSync(of('empty.rlp'), '')
    const empty = await run(['--blocks', of('empty.rlp'), '--data-dir', of('none')])
    assert.match(empty.err, /empty\.rlp contains no blocks\n$/)
    const head = await run([...recorded, '--head', 'latest', '--data-dir', of('none')])
    assert.equal(head.code, 2)
    assert.match(
      head.err,
      /--head: latest is not a block hash, and not a file that contains one\n$/,
    )
    const genesis = await run([
      '--genesis',
      of('cut.rlp'),
      '--blocks',
      `${vectors}/chain.rlp`,
      '--data-dir',
      of('none'),
    ])
    assert.match(genesis.err, /cut\.rlp is not a genesis file: not JSON\n$/)
  },
)

test('the blocks before one that does not fit are kept', { skip }, async () => {
  const whole = readFileSync(`${vectors}/chain.rlp`)
  const blocks = [...splitBlocks(whole)]
  const at = blocks[29]?.header.byteOffset ?? assert.fail()
  const bad = new Uint8Array(whole)
  // One bit of the state root of block 30.
  const place = at - whole.byteOffset + 3 + 33 + 33 + 21 + 5
  bad[place] = (bad[place] ?? 0) ^ 1
  writeFileSync(of('bad.rlp'), bad)
  const dataDir = of('bad')
  const { code, err } = await run([
    '--genesis',
    `${vectors}/genesis.json`,
    '--blocks',
    of('bad.rlp'),
    '--data-dir',
    dataDir,
  ])
  assert.equal(code, 1)
  assert.match(
    err,
    /^cairn: block 30 does not execute to its header: its accounts give 0x[0-9a-f]{64}, not 0x[0-9a-f]{64}\n$/,
  )
  assert.equal(keptIn(dataDir), 29n)
  const { out } = await run([...recorded, '--data-dir', dataDir, '--json'])
  assert.partialDeepStrictEqual(JSON.parse(out), { added: 25, head: { number: 54 } })
})
