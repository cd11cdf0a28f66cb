// Memory and processor time of a server process, as counted by Linux. Unlike wall-clock time, they do not depend on the
// load of the machine.
import { readFile } from 'node:fs/promises'

export type Figures = {
  readonly residentMiB: number
  /** User and system time of all threads since the start; 10 ms steps. */
  readonly cpuMs: number
}

/** Linux only: reads /proc. */
export async function readFigures(pid: number | undefined): Promise<Figures> {
  const [status, stat] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8'),
    readFile(`/proc/${pid}/stat`, 'utf8'),
  ])
  const residentKib = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1])
  // The name in brackets may contain spaces, so fields are counted after it (proc(5): utime 14, stime 15).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { residentMiB: residentKib / 1024, cpuMs: (Number(fields[11]) + Number(fields[12])) * 10 }
}
