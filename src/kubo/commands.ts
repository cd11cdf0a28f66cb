// The declarative table of the file face: what each offered command takes. Parsing, defaults for `arg`, and
// the body a command reads all come from here; what a command means is its operation's.

type OptionType = 'bool' | 'int' | 'int64' | 'uint' | 'string'
export type CommandOption = {
  readonly name: string
  readonly alias?: string
  readonly type: OptionType
}
type CommandArgument = {
  /** Kubo's name, quoted when it is missing. */
  readonly name: string
  readonly required: boolean
}
export type Command = {
  /** Null: `arg` parameters are ignored. All arguments may be given several times. */
  readonly argument: CommandArgument | null
  /** A second argument, always required; then each is given once. */
  readonly second?: string
  /** `lines`: arguments may come as lines of the first file part. `entries`: every part is an entry. */
  readonly body: 'none' | 'lines' | 'entries'
  readonly options: readonly CommandOption[]
}

const flag = (name: string, alias?: string): CommandOption => option(name, 'bool', alias)
const text = (name: string, alias?: string): CommandOption => option(name, 'string', alias)
function option(name: string, type: OptionType, alias?: string): CommandOption {
  return alias === undefined ? { name, type } : { name, type, alias }
}

/** Known on every command. `timeout` reaches operations as bigint milliseconds. */
export const globalOptions: readonly CommandOption[] = [
  text('encoding', 'enc'),
  text('timeout'),
  flag('offline'),
  flag('local', 'L'),
  text('cid-base'),
  flag('upgrade-cidv0-in-output'),
]

const contentPath: CommandArgument = { name: 'ipfs-path', required: true }

const refArgument: CommandArgument = { name: 'ref', required: true }
const cidArgument: CommandArgument = { name: 'cid', required: true }

/** Offered commands by their path on the wire. Options that change nothing are absent: unknown = ignored. */
export const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  [
    'add',
    {
      argument: { name: 'path', required: true },
      body: 'entries',
      options: [
        flag('pin'),
        text('pin-name'),
        flag('only-hash', 'n'),
        flag('wrap-with-directory', 'w'),
        option('cid-version', 'int'),
        flag('raw-leaves'),
        text('chunker', 's'),
        text('hash'),
        flag('trickle', 't'),
        option('max-file-links', 'int'),
        option('max-directory-links', 'int'),
        option('max-hamt-fanout', 'int'),
        flag('inline'),
        option('inline-limit', 'int'),
        option('mode', 'uint'),
        option('mtime', 'int64'),
        option('mtime-nsecs', 'uint'),
        flag('preserve-mode'),
        flag('preserve-mtime'),
        flag('empty-dirs', 'E'),
        flag('progress', 'p'),
        flag('silent'),
        text('to-files'),
        flag('nocopy'),
      ],
    },
  ],
  [
    'cat',
    {
      argument: contentPath,
      body: 'lines',
      options: [
        option('offset', 'int64', 'o'),
        option('length', 'int64', 'l'),
        flag('progress', 'p'),
      ],
    },
  ],
  ['commands', { argument: null, body: 'none', options: [flag('flags', 'f')] }],
  ['config/show', { argument: null, body: 'none', options: [] }],
  ['block/get', { argument: cidArgument, body: 'lines', options: [] }],
  [
    'block/put',
    {
      argument: { name: 'data', required: true },
      body: 'entries',
      options: [
        text('cid-codec'),
        text('mhtype'),
        option('mhlen', 'int'),
        flag('pin'),
        flag('allow-big-block'),
        text('format', 'f'),
      ],
    },
  ],
  [
    'block/rm',
    { argument: cidArgument, body: 'lines', options: [flag('force', 'f'), flag('quiet', 'q')] },
  ],
  ['block/stat', { argument: cidArgument, body: 'lines', options: [] }],
  [
    'dag/export',
    { argument: { name: 'root', required: true }, body: 'lines', options: [flag('local-only')] },
  ],
  ['dag/get', { argument: refArgument, body: 'lines', options: [text('output-codec')] }],
  [
    'dag/import',
    {
      argument: { name: 'path', required: true },
      body: 'entries',
      options: [flag('pin-roots'), flag('stats'), flag('allow-big-block')],
    },
  ],
  [
    'dag/put',
    {
      argument: { name: 'object data', required: true },
      body: 'entries',
      options: [
        text('store-codec'),
        text('input-codec'),
        flag('pin'),
        text('hash'),
        flag('allow-big-block'),
      ],
    },
  ],
  ['dag/resolve', { argument: refArgument, body: 'lines', options: [] }],
  [
    'dag/stat',
    { argument: { name: 'root', required: true }, body: 'lines', options: [flag('progress', 'p')] },
  ],
  [
    'files/stat',
    {
      argument: { name: 'path', required: true },
      body: 'none',
      options: [flag('with-local'), text('format'), flag('hash'), flag('size')],
    },
  ],
  [
    'get',
    {
      argument: contentPath,
      body: 'lines',
      options: [
        flag('archive', 'a'),
        flag('compress', 'C'),
        option('compression-level', 'int', 'l'),
      ],
    },
  ],
  ['id', { argument: { name: 'peerid', required: false }, body: 'none', options: [] }],
  [
    'ls',
    {
      argument: contentPath,
      body: 'lines',
      options: [flag('headers', 'v'), flag('resolve-type'), flag('size'), flag('stream', 's')],
    },
  ],
  [
    'pin/add',
    {
      argument: contentPath,
      body: 'lines',
      options: [flag('recursive', 'r'), text('name', 'n'), flag('progress')],
    },
  ],
  [
    'pin/ls',
    {
      argument: { name: 'ipfs-path', required: false },
      body: 'none',
      options: [
        text('type', 't'),
        flag('names'),
        text('name', 'n'),
        flag('stream', 's'),
        flag('quiet', 'q'),
      ],
    },
  ],
  ['pin/rm', { argument: contentPath, body: 'lines', options: [flag('recursive', 'r')] }],
  [
    'pin/update',
    {
      argument: { name: 'from-path', required: true },
      second: 'to-path',
      body: 'none',
      options: [flag('unpin')],
    },
  ],
  ['pin/verify', { argument: null, body: 'none', options: [flag('verbose'), flag('quiet', 'q')] }],
  [
    'refs',
    {
      argument: contentPath,
      body: 'lines',
      options: [
        text('format'),
        flag('edges', 'e'),
        flag('unique', 'u'),
        flag('recursive', 'r'),
        option('max-depth', 'int'),
      ],
    },
  ],
  ['repo/gc', { argument: null, body: 'none', options: [flag('silent'), flag('quiet', 'q')] }],
  ['refs/local', { argument: null, body: 'none', options: [] }],
  ['repo/stat', { argument: null, body: 'none', options: [flag('size-only')] }],
  ['repo/version', { argument: null, body: 'none', options: [flag('quiet', 'q')] }],
  ['resolve', { argument: { name: 'name', required: true }, body: 'lines', options: [] }],
  ['stats/bw', { argument: null, body: 'none', options: [] }],
  ['stats/repo', { argument: null, body: 'none', options: [flag('size-only')] }],
  ['swarm/addrs', { argument: null, body: 'none', options: [] }],
  ['swarm/peers', { argument: null, body: 'none', options: [] }],
  [
    'version',
    {
      argument: null,
      body: 'none',
      options: [flag('number', 'n'), flag('commit'), flag('repo'), flag('all')],
    },
  ],
])
