// docs/reference/track-record.md from what a run found.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const file = new URL('../../docs/reference/track-record.md', import.meta.url)

export function writeTrackRecord(run: {
  readonly table: string
  readonly seed: number
  readonly seconds: number
}): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim()
  const date = new Date().toISOString().slice(0, 10)
  writeFileSync(
    file,
    `# Track record

<!-- Made by \`npm run test:adversary -- --write\`. -->

\`npm run test:adversary\` attacks a server and its parts by chance, for ten minutes at most. It prints the seed, so that a run can be
repeated (\`-- --seed <n>\`). This is the run of ${date} on commit \`${commit}\`: seed ${run.seed}, ${run.seconds} s.

${run.table}

- **Right**: the answer was the truth. **Refused**: the client got an error and no answer. **Wrong**: an answer that was not the truth.
- Under \`proof\` (checked against a block hash), \`stored\` (content that was acknowledged) and \`head\` (the blocks behind \`latest\`,
  \`safe\` and \`finalized\`) no answer may be wrong: one makes the run fail.
- Under \`trusted\` and \`none\` Cairn passes an answer on and says that nothing proved it: there, an upstream can be wrong.

| Attack | What happens |
|---|---|
| upstreams that lie | 138 ways to change a reply, one at a time, in replies to every kind of read, by block hash and by number, with \`verify: require\` |
| reorg | the chain is reorganised by 1 to 64 blocks while \`safe\` and \`finalized\` move up and down with it |
| loss of power | a copy of the disk is taken at an instant: writes that were not synced are lost, torn or reordered |
| faults of the disk | reads are flipped, cut, failed and delayed, writes failed and delayed, under a running server that is killed between rounds |
| calls that exhaust the EVM | six connections of one account repeat the eight most expensive calls we know |
`,
  )
}
