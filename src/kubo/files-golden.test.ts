// The golden cases of the IPFS API, replayed byte for byte over a real socket.
import { test } from 'node:test'
import { readGolden, replayCase } from '../../test/api/files-golden.ts'
import { startFilesServer } from '../../test/fakes/files/files-server.ts'

const golden = readGolden()

test(
  'the IPFS API answers every golden case with the recorded bytes',
  {
    skip:
      golden === null &&
      'this compares with data of others, which is not here: set CAIRN_VECTORS to the folder of the vectors',
  },
  async (t) => {
    if (golden === null) return
    const server = await startFilesServer(t)
    for (const one of golden.cases) {
      await t.test(one.id, () => replayCase(server, golden, one))
    }
  },
)
