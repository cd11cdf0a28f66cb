>> {"jsonrpc":"2.0","id":1,"method":"txpool_status"}
<< {"jsonrpc":"2.0","id":1,"result":{"pending":"0x1","queued":"0x1"}}
