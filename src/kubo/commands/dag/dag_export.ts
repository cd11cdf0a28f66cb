// `dag/export`: a DAG as a CAR file.
// Tested by src/kubo/commands/dag/cars.test.ts
import { Fault } from '../../../base/fault.ts'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import { type KuboCommand, flag, valueOf } from '../../kubo-command.ts'
import { fetchPolicyOf } from '../../params/file-options.ts'

type DagExportInput = {
  readonly path: string
  /** Export only stored blocks, even if some are missing. */
  readonly partial: boolean
  readonly patience: FetchPolicy
}

const declared = {
  localOnly: flag('local-only'),
}

export const dagExport: KuboCommand<DagExportInput> = {
  name: 'dag/export',
  class: 'read',
  argument: { name: 'root', required: true },
  body: 'lines',
  options: Object.values(declared),
  parse({ args, options }) {
    const partial = valueOf(options, declared.localOnly)
    if (partial && options.get('offline') === false) {
      const detail =
        '--local-only implies --offline and cannot be combined with --offline=false; please drop one of them'
      throw new Fault('command_failed', { detail })
    }
    const patience = fetchPolicyOf(options)
    return {
      path: args[0] ?? '',
      partial,
      patience: partial ? { ...patience, offline: true } : patience,
    }
  },
  async run({ path, partial, patience }, { files, signal }) {
    const cid = await files.resolve(path, patience, signal)
    return {
      kind: 'bytes',
      chunks: files.exportCar(cid, partial, patience, signal),
      length: null,
      type: 'application/vnd.ipld.car',
    }
  },
}
