// The instructions of the EVM by code, independent of the fork: name (go-ethereum core/vm/opcodes.go) and number of stack
// operands (core/vm/jump_table.go).
// Tested by src/evm/evm-failure.test.ts

/** Consecutive names from a code on, each with its number of stack operands; `-` if there is no instruction. */
const rows: readonly (readonly [from: number, names: string])[] = [
  [0x00, 'STOP:0 ADD:2 MUL:2 SUB:2 DIV:2 SDIV:2 MOD:2 SMOD:2 ADDMOD:3 MULMOD:3 EXP:2 SIGNEXTEND:2'],
  [
    0x10,
    'LT:2 GT:2 SLT:2 SGT:2 EQ:2 ISZERO:1 AND:2 OR:2 XOR:2 NOT:1 BYTE:2 SHL:2 SHR:2 SAR:2 CLZ:1',
  ],
  [0x20, 'KECCAK256:2'],
  [0x30, 'ADDRESS:0 BALANCE:1 ORIGIN:0 CALLER:0 CALLVALUE:0 CALLDATALOAD:1 CALLDATASIZE:0'],
  [0x37, 'CALLDATACOPY:3 CODESIZE:0 CODECOPY:3 GASPRICE:0 EXTCODESIZE:1 EXTCODECOPY:4'],
  [0x3d, 'RETURNDATASIZE:0 RETURNDATACOPY:3 EXTCODEHASH:1'],
  [0x40, 'BLOCKHASH:1 COINBASE:0 TIMESTAMP:0 NUMBER:0 DIFFICULTY:0 GASLIMIT:0 CHAINID:0'],
  [0x47, 'SELFBALANCE:0 BASEFEE:0 BLOBHASH:1 BLOBBASEFEE:0 SLOTNUM:0'],
  [0x50, 'POP:1 MLOAD:1 MSTORE:2 MSTORE8:2 SLOAD:1 SSTORE:2 JUMP:1 JUMPI:2 PC:0 MSIZE:0 GAS:0'],
  [0x5b, 'JUMPDEST:0 TLOAD:1 TSTORE:2 MCOPY:3 PUSH0:0'],
  [0x60, range(32, (at) => `PUSH${at}:0`)],
  [0x80, range(16, (at) => `DUP${at}:${at}`)],
  [0x90, range(16, (at) => `SWAP${at}:${at + 1}`)],
  [0xa0, 'LOG0:2 LOG1:3 LOG2:4 LOG3:5 LOG4:6'],
  [0xd0, 'DATALOAD:1 DATALOADN:0 DATASIZE:0 DATACOPY:3'],
  [0xe0, 'RJUMP:0 RJUMPI:1 RJUMPV:1 CALLF:0 RETF:0 JUMPF:0 DUPN:0 SWAPN:0 EXCHANGE:0'],
  [0xec, 'EOFCREATE:4 - RETURNCONTRACT:2'],
  [0xf0, 'CREATE:3 CALL:7 CALLCODE:7 RETURN:2 DELEGATECALL:6 CREATE2:4 - RETURNDATALOAD:1'],
  [0xf8, 'EXTCALL:4 EXTDELEGATECALL:3 STATICCALL:6 EXTSTATICCALL:3 - REVERT:2 INVALID:0'],
  [0xff, 'SELFDESTRUCT:1'],
]

function range(count: number, entryOf: (at: number) => string): string {
  return Array.from({ length: count }, (_, index) => entryOf(index + 1)).join(' ')
}

const table = new Map(
  rows.flatMap(([from, names]) =>
    names.split(' ').map((entry, index) => {
      const [name = '', words] = entry.split(':')
      return [from + index, { name, words: Number(words ?? 0) }] as const
    }),
  ),
)

/** go-ethereum's name for any code from 0 to 255, also for one without an instruction. */
export function opcodeName(code: number): string {
  const name = table.get(code)?.name ?? '-'
  return name === '-' ? `opcode 0x${code.toString(16)} not defined` : name
}

/** Number of stack operands; 0 for a code without an instruction. */
export function operandCount(code: number): number {
  return table.get(code)?.words ?? 0
}
