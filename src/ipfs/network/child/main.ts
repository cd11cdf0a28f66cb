// Entry of the network process. The server starts it with a socket as descriptor 3 and ends it by closing the socket. An uncaught
// exception ends the process: libp2p may have lost its state, and the server starts a new process.
// Tested by test/network/child.test.ts
import { Socket } from 'node:net'
import { systemClock } from '../../../base/clock.ts'
import { runNetProcess } from './net-process.ts'

const socketDescriptor = 3

function end(error: Error): void {
  process.stderr.write(`${error.stack ?? error.message}\n`, () => process.exit(1))
  systemClock.after(500, () => process.exit(1))
}

process.on('uncaughtException', end)
process.on('unhandledRejection', (error) =>
  end(error instanceof Error ? error : new Error('rejected')),
)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) {
  process.on(signal, () => {})
}

const socket = new Socket({ fd: socketDescriptor, readable: true, writable: true })
socket.on('error', () => process.exit(0))
socket.on('end', () => process.exit(0))
socket.on('close', () => process.exit(0))
runNetProcess(socket, systemClock, end)
