// Records Kubo's replies to the requests of `file-requests.ts`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RecordedReply, sendFilesRequest } from '../fakes/upstream/recorded-request.ts'
import { sendFileRequests } from './file-requests.ts'
import { startKubo } from './kubo.ts'

/** Writes `replies.json` below `folder`. */
export async function recordReplies(program: string, folder: string): Promise<void> {
  const kubo = await startKubo(program)
  const recorded: RecordedReply[] = []
  try {
    await sendFileRequests(async (name, command, params = [], parts) => {
      const request = { command, params, ...(parts === undefined ? {} : { parts }) }
      const reply = await sendFilesRequest(kubo.url, request)
      recorded.push({ name, request, reply })
      return reply.body ?? ''
    })
  } finally {
    await kubo.stop()
  }
  const lines = recorded.map((one) => JSON.stringify(one))
  const text = `{"kubo":"${kubo.version}","replies":[\n${lines.join(',\n')}\n]}\n`
  writeFileSync(join(folder, 'replies.json'), text)
}
