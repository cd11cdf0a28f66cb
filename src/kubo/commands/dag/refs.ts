// `refs`: the links of a DAG, one per line.
// Tested by src/kubo/commands/files/listings.test.ts
import type { CID } from 'multiformats/cid'
import { Fault, hasCode } from '../../../base/fault.ts'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import {
  type CommandCall,
  type KuboCommand,
  flag,
  integer,
  text,
  valueOf,
} from '../../kubo-command.ts'
import { cidPrinter, fetchPolicyOf } from '../../params/file-options.ts'
import { type ReferenceLine, referenceText } from '../../replies/reference-line.ts'

type RefsInput = {
  readonly paths: readonly string[]
  readonly format: string
  readonly unique: boolean
  /** Null: all levels. */
  readonly depthMax: number | null
  readonly patience: FetchPolicy
  readonly print: (cid: CID) => string
}

const plainFormat = '<dst>'

const declared = {
  format: text('format', { default: plainFormat }),
  edges: flag('edges', { alias: 'e' }),
  unique: flag('unique', { alias: 'u' }),
  recursive: flag('recursive', { alias: 'r' }),
  maxDepth: integer('max-depth', { default: -1n }),
}

export const refs: KuboCommand<RefsInput> = {
  name: 'refs',
  class: 'read',
  argument: { name: 'ipfs-path', required: true },
  body: 'lines',
  options: Object.values(declared),
  parse({ args, options }) {
    const edges = valueOf(options, declared.edges)
    const format = valueOf(options, declared.format)
    if (edges && format !== plainFormat) {
      const detail = 'using format argument with edges is not allowed'
      throw new Fault('command_failed', { detail })
    }
    const depth = valueOf(options, declared.maxDepth)
    const all = depth < 0n ? null : Number(depth)
    return {
      paths: args,
      format: edges ? '<src> -> <dst>' : format,
      unique: valueOf(options, declared.unique),
      depthMax: valueOf(options, declared.recursive) ? all : 1,
      patience: fetchPolicyOf(options),
      print: cidPrinter(options),
    }
  },
  async run(input, call) {
    return { kind: 'events', lines: linesOf(input, call), live: false, text: referenceText }
  },
}

async function* linesOf(input: RefsInput, { files, signal }: CommandCall) {
  const { format, unique, depthMax, patience, print } = input
  const roots: CID[] = []
  for (const path of input.paths) roots.push(await files.resolve(path, patience, signal))
  const yielded = new Set<string>()
  for (const root of roots) {
    try {
      for await (const one of files.refs(root, { depthMax, unique }, patience, signal)) {
        const to = print(one.to)
        // Unique over all arguments together.
        if (unique && roots.length > 1) {
          if (yielded.has(to)) continue
          yielded.add(to)
        }
        const shown = { '<src>': print(one.from), '<dst>': to, '<linkname>': one.name }
        const ref = format.replaceAll(/<(?:src|dst|linkname)>/g, (token) => shown[token as '<src>'])
        yield { Ref: ref, Err: '' } satisfies ReferenceLine
      }
    } catch (thrown) {
      // As in Kubo, a missing block ends only the walk of its argument.
      const fault = Fault.from(thrown)
      if (fault.code !== 'deadline' && !hasCode(fault.cause, 'not_found')) throw thrown
      yield { Ref: '', Err: fault.message } satisfies ReferenceLine
    }
  }
}
