// `refs/local`: all blocks of the account as raw CIDs, and none of other accounts.
// Tested by src/kubo/commands/node/node-commands.test.ts
import type { CommandCall, KuboCommand } from '../../kubo-command.ts'
import { type ReferenceLine, referenceText } from '../../replies/reference-line.ts'

export const refsLocal: KuboCommand<null> = {
  name: 'refs/local',
  class: 'read',
  argument: null,
  body: 'none',
  options: [],
  parse: () => null,
  async run(_, call) {
    return { kind: 'events', lines: linesOf(call), live: false, text: referenceText }
  },
}

async function* linesOf({ caller, files, signal }: CommandCall) {
  for await (const cid of files.storedBlocks(caller.accountId, signal)) {
    yield { Ref: cid.toString(), Err: '' } satisfies ReferenceLine
  }
}
