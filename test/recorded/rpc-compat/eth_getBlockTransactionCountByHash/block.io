>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockTransactionCountByHash","params":["0x1952dd73a70c6521d3864b3161cee925d87eb04c49ad2fc92413813222c7794e"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x4"}
