// How long a process has waited for a processor, from Linux.
// Tested by test/network/slow-child.test.ts
import { readFileSync } from 'node:fs'

/** Of the main thread, in milliseconds since its start: it was ready to run. 0: not known on this system. */
export function processorWaitMs(pid: number): number {
  try {
    // Nanoseconds on a processor, nanoseconds waiting for one, time slices: Documentation/scheduler/sched-stats.rst.
    const [, waited = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 2)
    return Math.max(0, Number(waited) / 1e6) || 0
  } catch {
    return 0
  }
}
