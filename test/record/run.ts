// `npm run record`: starts the real Kubo and geth, sends them the requests of the tests, and writes the replies to
// test/recorded/. The same program versions write the same bytes. The programs: CAIRN_KUBO and CAIRN_GETH, or `ipfs`
// and `geth` of the path. `npm run record -- data-folder` records the data folder of an earlier Cairn, whose checkout
// CAIRN_EARLIER names.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { recordChain } from './chain.ts'
import { recordDataFolder } from './data-folder.ts'
import { recordCids } from './files.ts'
import { recordReplies } from './replies.ts'

const recorded = join(import.meta.dirname, '../recorded')
const parts = new Map([
  [
    'files',
    async () => {
      const folder = join(recorded, 'files')
      mkdirSync(folder, { recursive: true })
      const program = process.env['CAIRN_KUBO'] ?? 'ipfs'
      await recordReplies(program, folder)
      return `Kubo ${await recordCids(program, folder)}`
    },
  ],
  [
    'chain',
    async () => {
      const folder = join(recorded, 'rpc-compat')
      return `geth ${await recordChain(process.env['CAIRN_GETH'] ?? 'geth', folder)}`
    },
  ],
  [
    'data-folder',
    async () => `Cairn ${await recordDataFolder(process.env['CAIRN_EARLIER'] ?? '', recorded)}`,
  ],
])

// An earlier Cairn is recorded once, when its version is replaced.
const usual = ['files', 'chain']
const named = process.argv.slice(2)
const unknown = named.find((name) => !parts.has(name))
if (unknown !== undefined) {
  process.stderr.write(`unknown part ${unknown}: use ${[...parts.keys()].join(' or ')}\n`)
  process.exitCode = 2
} else {
  for (const [name, record] of parts) {
    if (!(named.length > 0 ? named : usual).includes(name)) continue
    process.stdout.write(`${name}: recorded from ${await record()}\n`)
  }
}
