// Loaded into the server by `--profile`: SIGUSR2 starts a CPU profile, the next SIGUSR2 writes it to the file in
// CAIRN_BENCH_PROFILE.
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'

const file = process.env['CAIRN_BENCH_PROFILE'] ?? ''
const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.setSamplingInterval', { interval: 200 })
let running = false

process.on('SIGUSR2', () => {
  running = !running
  if (running) {
    session.post('Profiler.start')
    return
  }
  session.post('Profiler.stop', (_error, result) => {
    writeFileSync(`${file}.part`, JSON.stringify(result.profile))
    renameSync(`${file}.part`, file)
  })
})
