// Original file: /work/main/protos/identity/v1/usage.proto


export interface RecordRequestsResponse {
}

export interface RecordRequestsResponse__Output {
}
