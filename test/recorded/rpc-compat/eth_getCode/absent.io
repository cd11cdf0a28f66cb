>> {"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["0xc1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1","latest"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x"}
