// `repo/gc`, limited to the account: ends the leases of all its unpinned content. Blocks without other references are deleted
// immediately.
// Tested by src/kubo/commands/dag/block-rm.test.ts
import { type CommandCall, type KuboCommand, flag, valueOf } from '../../kubo-command.ts'

type RepoGcInput = { readonly silent: boolean; readonly quiet: boolean }
type Collected = { readonly Key: { readonly '/': string } }

const declared = {
  silent: flag('silent'),
  quiet: flag('quiet', { alias: 'q' }),
}

export const repoGc: KuboCommand<RepoGcInput> = {
  name: 'repo/gc',
  class: 'write',
  argument: null,
  body: 'none',
  options: Object.values(declared),
  parse: ({ options }) => ({
    silent: valueOf(options, declared.silent),
    quiet: valueOf(options, declared.quiet),
  }),
  async run(input, call) {
    const text = (line: unknown) => {
      const key = (line as Collected).Key['/']
      return input.quiet ? `${key}\n` : `removed ${key}\n`
    }
    return { kind: 'events', lines: linesOf(input, call), live: false, text }
  },
}

/** As Kubo prints them: without a codec, so each CID is raw. */
async function* linesOf({ silent }: RepoGcInput, { caller, files, signal }: CommandCall) {
  for await (const cid of files.releaseUnpinned(caller.accountId, signal)) {
    if (!silent) yield { Key: { '/': cid.toString() } } satisfies Collected
  }
}
