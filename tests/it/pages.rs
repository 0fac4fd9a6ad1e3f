//! Every code has a page, and every page an example that breaks the rule and one that keeps it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use landfall_diagnostics::{Base, Page, Severity, pages};
use landfall_install_config::verdict::{Outcome, Strictness, judge_keeping};
use landfall_model::catalogue::Catalogue;

use crate::asserted::{self, Sources};
use crate::create;

/// Codes whose cause is not a text of a few lines, with the test that shows them.
const SHOWN_ELSEWHERE: &[(&str, &str)] = &[
    ("LF0001", "cli::says_why_a_file_cannot_be_read"),
    ("LF0003", "hostile::refuses_a_file_that_is_too_large"),
    ("LF0004", "hostile::refuses_depth_and_multiplication"),
    ("LF0013", "hostile::cuts_a_list_of_too_many_findings"),
    ("LF0601", "model::catalogue::overlay::tests::points_at_what_contradicts_the_catalogue"),
    ("LF0602", "model::catalogue::overlay::tests::points_at_what_contradicts_the_catalogue"),
    ("LF0603", "model::catalogue::overlay::tests::points_at_what_contradicts_the_catalogue"),
    ("LF0604", "model::catalogue::overlay::tests::points_at_what_contradicts_the_catalogue"),
    ("LF0605", "model::catalogue::stream::tests::what_is_no_stream_is_refused"),
    ("LF0610", "create::refuses_facts_of_another_version"),
    ("LF0652", "create::names_the_releases_that_are_known"),
    ("LF0653", "create::refuses_what_cannot_be_an_infrastructure_id"),
    ("LF0654", "create::points_at_an_edited_manifest_that_cannot_be_read"),
    ("LF0655", "create::a_directory_is_that_of_one_cluster"),
    ("LF0658", "prepare::target::tests::an_engine_that_is_not_known_is_refused"),
    ("LF0782", "azure::plan::tests::storage::a_key_is_known_by_its_address"),
    ("LF0792", "azure::plan::tests::gateways::gateways_of_zones_need_zones"),
    ("LF0793", "azure::plan::tests::existing::subnets_have_room_for_the_machines"),
    ("LF0794", "azure::plan::tests::existing::a_subnet_has_one_nat_gateway"),
    ("LF0795", "azure::plan::tests::names::names_are_those_that_azure_gives"),
    ("LF0713", "create::existing_subnets_are_one_of_a_kind_in_each_zone"),
    ("LF0714", "create::a_bundle_must_fit_into_user_data"),
    ("LF0711", "create::refuses_facts_of_another_region"),
    ("LF0709", "create::every_zone_of_a_pool_needs_a_subnet"),
    ("LF0717", "aws::plan::tests::zones_are_those_of_the_account"),
    ("LF0718", "aws::plan::tests::instance_types::types_are_those_of_the_region"),
    ("LF0719", "aws::plan::tests::instance_types::types_are_of_the_architecture_of_their_pool"),
    ("LF0720", "aws::plan::tests::subnets_are_in_one_network"),
    ("LF0721", "aws::plan::tests::subnets_lie_in_the_machine_networks"),
    ("LF0722", "aws::plan::tests::one_subnet_is_private"),
    ("LF0723", "aws::plan::tests::subnets_belong_to_no_other_cluster"),
    ("LF0724", "aws::plan::tests::a_hosted_zone_serves_the_cluster"),
    ("LF0725", "aws::plan::tests::records::records_of_an_earlier_cluster_are_in_the_way"),
    ("LF0726", "aws::plan::tests::records::records_of_an_earlier_cluster_are_in_the_way"),
    ("LF0727", "aws::plan::tests::a_cluster_for_all_has_a_public_zone"),
    ("LF0730", "aws::plan::tests::security_groups::a_machine_has_few_security_groups"),
    ("LF0728", "aws::plan::tests::security_groups::security_groups_are_in_the_network"),
    ("LF0729", "aws::plan::tests::the_region_is_enabled"),
    ("LF0732", "aws::plan::tests::subnet_roles::subnets_fit_their_roles"),
    ("LF0733", "aws::plan::tests::subnet_roles::load_balancers_are_in_the_zones_of_the_nodes"),
    ("LF0734", "aws::plan::tests::dedicated_hosts::hosts_are_in_the_zones_of_their_pool"),
    ("LF0735", "aws::plan::tests::dedicated_hosts::a_zone_without_a_host_is_said"),
    ("LF0738", "aws::plan::tests::dual_stack::existing_subnets_have_ipv6_addresses_in_the_machine_networks"),
    ("LF0739", "aws::plan::tests::user_dns::an_existing_subnet_has_a_free_address"),
    ("LF0740", "aws::plan::tests::existing_vpc::other_subnets_of_the_network_have_a_tag"),
    ("LF0741", "aws::plan::tests::accepted::the_cluster_trusts_its_endpoints"),
    ("LF0661", "ignition::user_dns::machines_find_the_api_by_the_address_of_its_load_balancer"),
    ("LF0685", "ignition::user_dns::an_authority_is_needed_for_the_certificate"),
    ("LF0660", "prepare::host::tests::a_host_that_is_not_in_fips_mode_is_a_warning_from_4_16_on"),
    ("LF0737", "create::releases::images_are_of_the_stream_in_the_config"),
    ("LF0750", "azure::plan::tests::says_everything_at_once"),
    ("LF0751", "azure::plan::tests::an_unknown_cloud_or_location_is_said_once"),
    ("LF0752", "azure::plan::tests::says_everything_at_once"),
    ("LF0762", "azure::plan::tests::a_stack_hub_has_fewer_services_and_tells_its_own_endpoints"),
    ("LF1001", "cloud::credentials::none_at_all_is_told_once"),
    ("LF1002", "cloud::secrets::of_credentials_that_are_refused_nothing_is_shown"),
    ("LF1003", "cloud::credentials::those_that_are_refused_are_told_by_what_is_wrong_with_them"),
    ("LF1004", "cloud::credentials::those_that_are_refused_are_told_by_what_is_wrong_with_them"),
    ("LF1005", "cloud::credentials::those_that_are_refused_are_told_by_what_is_wrong_with_them"),
    ("LF1006", "aws_cloud::credentials::tests::the_partition_of_the_caller_is_that_of_the_region"),
    ("LF1007", "cloud::credentials::the_root_user_is_warned_of"),
    ("LF1008", "aws_cloud::credentials::tests::a_role_that_cannot_be_assumed_is_an_error_at_its_field"),
    ("LF1010", "aws_cloud::reach::tests::a_wrong_bundle_is_said_at_its_field"),
    ("LF1011", "aws_cloud::reach::tests::what_is_no_endpoint_is_said_where_it_stands"),
    ("LF1012", "cloud::endpoints::each_is_told_in_its_own_words"),
    ("LF1013", "cloud::endpoints::each_is_told_in_its_own_words"),
    ("LF1014", "cloud::endpoints::what_answers_in_the_place_of_a_service_is_not_taken_for_it"),
    ("LF1015", "cloud::endpoints::what_answers_in_the_place_of_a_service_is_not_taken_for_it"),
    ("LF1020", "cloud::trouble::trouble_that_passes_is_waited_out_and_other_trouble_is_told"),
    ("LF1030", "aws_cloud::checks::images::tests::an_image_must_be_there_and_available_and_fit"),
    ("LF1031", "aws_cloud::checks::images::tests::an_image_must_be_there_and_available_and_fit"),
    ("LF1042", "aws_cloud::checks::address_pool::tests::a_pool_must_exist_and_have_an_address_for_each_use"),
    ("LF1032", "aws_cloud::checks::kms::tests::a_key_must_be_enabled_and_symmetric"),
    ("LF1033", "aws_cloud::checks::pages::tests::every_finding_has_its_own_page"),
    ("LF1034", "aws_cloud::checks::pages::tests::every_finding_has_its_own_page"),
    ("LF1035", "aws_cloud::checks::pages::tests::every_finding_has_its_own_page"),
    ("LF1036", "aws_cloud::checks::pages::tests::a_long_list_is_cut"),
    ("LF1038", "aws_cloud::checks::pages::tests::every_finding_has_its_own_page"),
    ("LF1039", "aws_cloud::checks::vpc::tests::both_attributes_are_needed"),
    ("LF1040", "aws_cloud::checks::quotas::tests::a_cluster_must_fit_beside_what_is_in_use"),
    ("LF1041", "aws_cloud::checks::quotas::tests::a_cluster_must_fit_beside_what_is_in_use"),
    ("LF1090", "cloud::endpoints::the_deadline_ends_everything"),
    ("LF1091", "preflight::tests::what_nobody_could_ask_for_is_told"),
    ("LF1100", "azure::cloud::reach::tests::a_wrong_bundle_is_said_at_its_field"),
    ("LF1101", "azure::cloud::environment::tests::an_unknown_cloud_is_told_with_those_that_are_known"),
    ("LF1102", "cloud::azure::endpoints::a_closed_cloud_is_told"),
    ("LF1103", "azure::cloud::environment::tests::an_endpoint_is_a_url_of_https"),
    ("LF1104", "cloud::azure::stack_hub::hubs_that_cannot_be_used_are_told"),
    ("LF1105", "cloud::azure::stack_hub::hubs_that_cannot_be_used_are_told"),
    ("LF1106", "cloud::azure::endpoints::each_is_told_in_its_own_words"),
    ("LF1107", "cloud::azure::endpoints::each_is_told_in_its_own_words"),
    ("LF1108", "cloud::azure::endpoints::each_is_told_in_its_own_words"),
    ("LF1109", "azure::cloud::reach::tests::what_was_seen_is_told"),
    ("LF1110", "cloud::azure::credentials::none_at_all_is_told_once"),
    ("LF1111", "azure::cloud::sources::tests::an_application_needs_a_tenant_and_an_id"),
    ("LF1112", "azure::cloud::certificate::tests::a_file_that_cannot_be_used_says_why"),
    ("LF1113", "cloud::azure::credentials::those_that_are_refused_are_told_by_what_is_wrong_with_them"),
    ("LF1114", "azure::cloud::authority::tests::what_the_authority_says_is_told_in_our_words"),
    ("LF1115", "azure::cloud::authority::tests::the_azure_cli_is_the_last_resort"),
    ("LF1116", "azure::cloud::subscription::tests::the_only_subscription_needs_no_name"),
    ("LF1117", "azure::cloud::subscription::tests::what_cannot_be_seen_says_why"),
    ("LF1118", "azure::cloud::subscription::tests::a_subscription_must_be_enabled_and_of_the_tenant"),
    ("LF1119", "azure::cloud::subscription::tests::a_subscription_must_be_enabled_and_of_the_tenant"),
    ("LF1120", "azure::cloud::subscription::tests::a_subscription_must_be_enabled_and_of_the_tenant"),
    ("LF1121", "cloud::azure::trouble::faults_of_the_cloud_are_told"),
    ("LF0765", "azure::plan::tests::machines::a_location_is_one_that_the_subscription_has"),
    ("LF0766", "azure::plan::tests::machines::the_zones_of_a_pool_offer_its_size"),
    ("LF0767", "azure::plan::tests::machines::ultra_disks_are_in_every_zone"),
    ("LF0768", "azure::plan::tests::machines::a_protected_start_is_one_that_the_size_has"),
    ("LF0769", "azure::plan::tests::machines::a_protected_start_is_one_that_the_size_has"),
    ("LF0770", "azure::plan::tests::existing::an_existing_network_is_there"),
    ("LF0771", "azure::plan::tests::existing::subnets_are_in_the_network"),
    ("LF0772", "azure::plan::tests::existing::subnets_lie_in_the_machine_networks"),
    ("LF0773", "azure::plan::tests::existing::a_network_is_where_the_machines_are"),
    ("LF0774", "azure::plan::tests::existing::an_existing_group_is_there_and_free"),
    ("LF0775", "azure::plan::tests::existing::an_existing_group_is_there_and_free"),
    ("LF0776", "azure::plan::tests::existing::an_existing_group_is_there_and_free"),
    ("LF0777", "azure::plan::tests::existing::an_existing_group_is_empty"),
    ("LF0778", "azure::plan::tests::existing::the_public_zone_is_in_its_group"),
    ("LF0781", "azure::credentials::tests::a_secret_goes_with_its_own_application"),
    ("LF0785", "azure::plan::tests::terraform_must_find_a_cloud_of_an_overlay"),
    ("LF0791", "azure::plan::tests::terraform_cannot_create_clusters_in_every_cloud"),
    ("LF0788", "azure::plan::tests::machines::pools_of_one_image_have_one_kind_of_protection"),
    ("LF0787", "azure::plan::tests::terraform_must_find_a_cloud_of_an_overlay"),
    ("LF0786", "azure::plan::tests::machines::what_the_cloud_does_not_tell_of_a_size_is_a_warning"),
    ("LF0779", "azure::plan::tests::existing::records_of_an_earlier_cluster_are_in_the_way"),
    ("LF1130", "azure::cloud::checks::disk_sets::tests::a_set_must_be_there_and_in_the_location_and_fit"),
    ("LF1131", "azure::cloud::checks::disk_sets::tests::a_set_must_be_there_and_in_the_location_and_fit"),
    ("LF1132", "azure::cloud::checks::keys::tests::vault_key_and_identity_must_be_there"),
    ("LF1133", "azure::cloud::checks::keys::tests::storage_accounts_take_keys_only_from_protected_vaults"),
    ("LF1134", "azure::cloud::checks::images::tests::an_image_must_be_there"),
    ("LF1135", "azure::cloud::checks::images::tests::an_image_must_fit_the_size_and_the_architecture"),
    ("LF1136", "azure::cloud::checks::images::tests::terms_must_be_accepted"),
    (
        "LF1149",
        "azure::cloud::checks::image_source::tests::an_image_is_there_or_not_or_cannot_be_looked_at_from_here",
    ),
    ("LF1137", "azure::cloud::checks::images::tests::the_config_must_know_whether_there_is_a_plan"),
    ("LF1138", "azure::cloud::checks::identities::tests::an_identity_that_is_not_there_is_named"),
    ("LF1139", "azure::cloud::checks::findings::tests::missing_rights_are_named_up_to_a_few"),
    ("LF1140", "azure::cloud::checks::findings::tests::missing_rights_are_named_up_to_a_few"),
    ("LF1141", "azure::cloud::checks::locks::tests::a_lock_on_what_is_changed_is_in_the_way"),
    ("LF1142", "azure::cloud::checks::locks::tests::a_lock_against_removal_is_a_warning"),
    ("LF1143", "azure::cloud::checks::providers::tests::every_provider_must_be_registered"),
    ("LF1144", "azure::cloud::checks::providers::tests::a_registration_that_is_under_way_is_a_warning"),
    ("LF1145", "azure::cloud::checks::quotas::tests::a_cluster_must_fit_beside_what_is_in_use"),
    ("LF1146", "azure::cloud::checks::quotas::tests::a_cluster_must_fit_beside_what_is_in_use"),
    ("LF0212", "hostile::does_not_compare_thousands_of_networks"),
    ("LF1200", "engine_terraform::fault::tests::every_fault_says_what_to_do"),
    ("LF1201", "engine_terraform::fault::tests::every_fault_says_what_to_do"),
    ("LF1202", "engine_terraform::fault::tests::every_fault_says_what_to_do"),
    ("LF1204", "engine_terraform::fault::tests::every_fault_says_what_to_do"),
    ("LF1205", "engine_terraform::fault::tests::every_fault_says_what_to_do"),
    ("LF1206", "engine_terraform::fault::tests::every_fault_says_what_to_do"),
    ("LF1207", "engine_terraform::fault::tests::every_fault_says_what_to_do"),
    ("LF1210", "engine_terraform::fault::tests::every_cause_has_its_page_and_names_the_resource"),
    ("LF1211", "engine_terraform::fault::tests::every_cause_has_its_page_and_names_the_resource"),
    ("LF1212", "engine_terraform::fault::tests::every_cause_has_its_page_and_names_the_resource"),
    ("LF1213", "engine_terraform::fault::tests::every_cause_has_its_page_and_names_the_resource"),
    ("LF1214", "engine_terraform::fault::tests::every_cause_has_its_page_and_names_the_resource"),
    ("LF1215", "engine_terraform::fault::tests::every_cause_has_its_page_and_names_the_resource"),
    ("LF1216", "engine_terraform::fault::tests::every_cause_has_its_page_and_names_the_resource"),
    ("LF1217", "engine_terraform::fault::tests::every_cause_has_its_page_and_names_the_resource"),
    ("LF1218", "engine_terraform::fault::tests::every_cause_has_its_page_and_names_the_resource"),
    ("LF1227", "engine_terraform::fault::tests::every_cause_has_its_page_and_names_the_resource"),
    ("LF1226", "engine_terraform::fault::tests::every_cause_has_its_page_and_names_the_resource"),
    ("LF1219", "engine_terraform::fault::tests::every_cause_has_its_page_and_names_the_resource"),
    ("LF1220", "engine_terraform::fault::tests::every_cause_has_its_page_and_names_the_resource"),
    ("LF1221", "engine_terraform::fault::tests::every_cause_has_its_page_and_names_the_resource"),
    ("LF1147", "azure::cloud::checks::credentials_mode::tests::operators_need_a_secret"),
    ("LF1148", "azure::cloud::checks::credentials_mode::tests::operators_need_a_secret"),
    ("LF0670", "ignition::missing_files_are_reported_with_what_to_do"),
    ("LF0671", "ignition::all_faults_are_reported_at_once_and_no_secret"),
    ("LF0672", "ignition::all_faults_are_reported_at_once_and_no_secret"),
    ("LF0673", "ignition::certificates_must_be_valid"),
    ("LF0674", "prepare::ignition::tests::certificates_must_outlast_an_installation"),
    ("LF0675", "ignition::files_of_another_cluster_are_refused"),
    ("LF0676", "ignition::program::a_program_that_fails_leaves_nothing_but_its_log"),
    ("LF0677", "ignition::program::nothing_of_the_users_is_lost_to_the_program"),
    ("LF0678", "ignition::program::nothing_of_the_users_is_lost_to_the_program"),
    ("LF0684", "ignition::release::resources_of_the_other_layout_are_not_replaced"),
    ("LF0683", "ignition::files_without_access_to_the_cluster_are_reported"),
    ("LF0682", "ignition::program::the_program_is_of_the_release"),
    ("LF0681", "ignition::program::manifests_that_the_program_leaves_out_are_reported"),
    ("LF0680", "ignition::machines_must_look_for_what_is_made"),
    ("LF0679", "ignition::program::the_program_runs_once_for_the_same_manifests"),
    ("LF1222", "install::untracked::tests::consent_is_asked_for_with_a_list"),
    ("LF1223", "gather::tests::a_directory_of_nobody_has_nothing"),
    ("LF1235", "model::prices::tests::every_fault_of_a_file_is_told_with_its_place"),
    ("LF1236", "model::prices::tests::every_fault_of_a_file_is_told_with_its_place"),
    ("LF1237", "model::prices::tests::every_fault_of_a_file_is_told_with_its_place"),
    ("LF1238", "model::prices::tests::prices_are_of_the_plan_s_platform_and_region"),
    ("LF1239", "cloud::prices::gathers_a_price_file_that_counts_the_plan"),
    ("LF1248", "cloud::prices::says_what_to_allow_where_the_price_list_refuses"),
    ("LF1224", "gather::tests::journals_of_machines_are_read_over_ssh"),
    ("LF1225", "gather::tests::journals_of_machines_are_read_over_ssh"),
    ("LF1240", "kube::wait_for::a_kubeconfig_that_cannot_be_used_is_reported_at_once"),
    ("LF1241", "kube::wait_for::a_kubeconfig_that_cannot_be_used_is_reported_at_once"),
    ("LF1242", "kube::wait_for::a_kubeconfig_that_cannot_be_used_is_reported_at_once"),
    ("LF1243", "kube::wait_for::a_refused_user_is_reported_without_waiting"),
    ("LF1244", "kube::wait_for::a_refused_user_is_reported_without_waiting"),
    ("LF1245", "kube::wait_for::an_api_that_is_not_there_is_reported_with_the_step_that_fails"),
    ("LF1246", "kube::wait_for::the_bootstrap_is_waited_for_until_it_says_that_it_is_complete"),
    ("LF1247", "kube::wait_for::an_installation_is_waited_for_until_every_operator_rests"),
    ("LF1253", "azure::cloud::engine::tests::the_identity_of_a_service_is_refused"),
    ("LF1300", "destroy::account::tests::another_account_is_refused_and_both_are_named"),
    ("LF1301", "destroy::account::tests::finding_nothing_is_no_success_by_itself"),
    ("LF1302", "destroy::account::tests::a_fault_is_reported_in_its_own_words"),
    ("LF1303", "destroy::tests::proofs::what_could_not_be_looked_at_proves_nothing"),
    ("LF1304", "destroy::tests::troubles::nothing_new_begins_when_the_time_is_over"),
    ("LF1305", "destroy::tests::troubles::what_is_refused_is_not_tried_again_and_all_else_goes"),
    ("LF1306", "destroy::tests::nothing_is_removed_against_an_objection"),
    ("LF1307", "destroy::region_check::tests::the_place_that_has_the_cluster_is_named"),
    ("LF1308", "destroy::region_check::tests::what_could_not_be_asked_is_no_proof_unless_somebody_knows"),
    ("LF1320", "aws_cloud::removal::pages::tests::what_cannot_be_looked_at_is_named_with_the_reason"),
    ("LF1321", "aws_cloud::removal::pages::tests::the_other_clusters_are_named"),
    ("LF1322", "aws::target::tests::what_is_needed_is_asked_for"),
    ("LF1323", "aws::target::tests::what_is_needed_is_asked_for"),
    ("LF1350", "azure::target::tests::an_id_that_would_fit_everything_is_refused"),
    ("LF1353", "cloud::azure::removal::a_deny_assignment_ends_it"),
    ("LF1354", "cloud::azure::removal::a_directory_that_may_not_be_read_is_told"),
    (
        "LF1356",
        "azure::cloud::removal::holdings::tests::a_group_of_the_cluster_goes_and_one_of_the_user_stays",
    ),
    ("LF1092", "install_config::platforms::tests::a_platform_without_a_cloud_says_that_nothing_is_removed"),
    ("LF1335", "aws_cloud::removal::delete::pages::tests::a_denial_names_the_action_and_who_can_lift_it"),
    ("LF1336", "aws_cloud::removal::delete::pages::tests::every_refusal_names_the_thing_and_what_to_do"),
    ("LF1337", "aws_cloud::removal::delete::pages::tests::every_refusal_names_the_thing_and_what_to_do"),
    ("LF1338", "aws_cloud::removal::delete::pages::tests::every_refusal_names_the_thing_and_what_to_do"),
    ("LF1339", "aws_cloud::removal::delete::pages::tests::every_refusal_names_the_thing_and_what_to_do"),
    ("LF1351", "cloud::azure::removal::what_cannot_be_looked_at_is_no_proof"),
    ("LF1352", "cloud::azure::removal::what_the_caller_may_not_remove_is_named"),
    ("LF1355", "cloud::azure::removal::what_another_cluster_uses_is_an_objection"),
    ("LF1380", "prepare::target::tests::what_cannot_be_used_is_refused"),
    ("LF1381", "prepare::target::tests::what_cannot_be_used_is_refused"),
    ("LF1382", "prepare::target::tests::what_cannot_be_used_is_refused"),
    ("LF1383", "prepare::target::tests::what_stands_in_the_way_says_how_to_go_on"),
    ("LF1384", "prepare::target::tests::what_stands_in_the_way_says_how_to_go_on"),
    ("LF1385", "prepare::target::tests::what_stands_in_the_way_says_how_to_go_on"),
    ("LF1386", "prepare::target::tests::a_domain_that_is_not_the_clusters_is_told"),
    ("LF1387", "prepare::target::tests::what_stands_in_the_way_says_how_to_go_on"),
    ("LF1388", "prepare::target::tests::endpoints_of_flags_are_newer_than_those_of_the_file"),
    ("LF1389", "prepare::target::tests::endpoints_come_from_the_running_cluster"),
    ("LF1390", "prepare::target::tests::endpoints_of_flags_are_newer_than_those_of_the_file"),
    ("LF1391", "prepare::target::tests::an_endpoint_that_cannot_be_called_does_not_come_into_the_metadata"),
    ("LF1324", "aws_cloud::removal::pages::tests::a_shared_zone_needs_the_domain"),
    ("LF1325", "aws_cloud::removal::pages::tests::records_that_lead_elsewhere_are_told_and_stay"),
    ("LF1326", "aws_cloud::removal::pages::tests::what_is_not_proven_is_named_with_the_reason"),
    ("LF1400", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1401", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1402", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1403", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1404", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1405", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1406", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1407", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1408", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1409", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1410", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1411", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1412", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1413", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1414", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1415", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1416", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1417", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1418", "cloud_config::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1450", "cloud_profile::document::tests::says_what_a_file_holds_instead"),
    ("LF1451", "profile_cli::refuses_files_that_hold_something_else"),
    ("LF1452", "cloud_profile::check::tests::points_at_what_is_refused_and_at_conflicts"),
    ("LF1453", "cloud_profile::check::tests::points_at_what_is_refused_and_at_conflicts"),
    ("LF1454", "cloud_profile::check::tests::points_at_what_is_refused_and_at_conflicts"),
    ("LF1455", "cloud_profile::allowance::tests::of_profiles_that_inherit_the_status_counts"),
    ("LF1456", "cloud_profile::allowance::tests::of_profiles_that_inherit_the_status_counts"),
    ("LF1457", "cloud_profile::check::expired::tests::what_is_taken_out_is_reported_at_its_line"),
    ("LF1460", "rules::allowance::tests::a_cluster_is_on_the_platform_of_the_profile"),
    ("LF1461", "rules::allowance::tests::regions_zones_and_types_are_those_of_the_profile"),
    ("LF1462", "rules::allowance::tests::regions_zones_and_types_are_those_of_the_profile"),
    ("LF1463", "rules::allowance::tests::regions_zones_and_types_are_those_of_the_profile"),
    ("LF1464", "rules::allowance::tests::regions_zones_and_types_are_those_of_the_profile"),
    ("LF1466", "kube::profiles::rendering::an_installation_takes_its_profile_from_the_cluster"),
    ("LF1465", "cli::operator::manifests::tests::private_profiles_need_their_admission"),
    ("LF1467", "cli::operator::manifests::tests::whoever_reports_a_release_is_told_it"),
    ("LF1500", "aso_examples::variants::what_no_objects_can_stand_for_is_refused"),
    ("LF1501", "aso_examples::variants::what_no_objects_can_stand_for_is_refused"),
    ("LF1502", "aso_examples::variants::what_no_objects_can_stand_for_is_refused"),
    ("LF1503", "aso_examples::variants::what_no_objects_can_stand_for_is_refused"),
    ("LF1504", "aso_examples::variants::the_internal_address_is_one_of_the_control_planes_subnet"),
    ("LF1505", "aso_examples::variants::what_the_operators_machines_lack_is_refused"),
    ("LF1506", "aso_examples::variants::what_the_operators_machines_lack_is_refused"),
    ("LF1508", "aso_examples::variants::machines_start_with_a_pointer_and_nothing_else"),
    ("LF1509", "aso_examples::variants::tags_of_the_users_are_for_clouds_that_have_them"),
    ("LF1510", "aso_examples::variants::a_patch_is_for_an_object_of_some_stage"),
    ("LF1507", "aso_examples::render_refuses_an_operator_of_another_cloud"),
    ("LF1520", "engine_aso::detect::tests::a_closed_cloud_a_stack_hub_and_an_unknown_cloud_are_refused"),
    ("LF1521", "engine_aso::detect::tests::an_operator_is_absent_without_crds_and_deployment"),
    ("LF1522", "engine_aso::detect::tests::an_operator_that_does_not_run_comes_before_its_version"),
    ("LF1523", "engine_aso::detect::tests::a_version_is_new_enough_and_of_the_major_version"),
    ("LF1524", "engine_aso::detect::tests::kinds_are_served_in_either_spelling"),
    ("LF1525", "engine_aso::detect::tests::exactly_one_operator_watches_the_namespace"),
    ("LF1526", "engine_aso::detect::tests::the_cloud_is_that_of_the_settings"),
    ("LF1527", "engine_aso::detect::permissions::tests::what_is_denied_is_told_by_verb_and_resource"),
    ("LF1528", "engine_aso::detect::version::tests::an_upgrade_is_one_step"),
    ("LF1529", "engine_aso::detect::version::tests::a_version_that_objects_are_stored_in_stays"),
    ("LF1530", "engine_aso::detect::tests::a_version_is_new_enough_and_of_the_major_version"),
    ("LF1531", "engine_aso::detect::tests::settings_that_cannot_be_read_are_a_warning"),
    ("LF1532", "engine_aso::drive::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1533", "engine_aso::drive::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1534", "engine_aso::drive::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1535", "engine_aso::drive::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1536", "engine_aso::drive::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1537", "engine_aso::drive::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1538", "engine_aso::drive::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1539", "engine_aso::drive::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1540", "engine_aso::drive::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1541", "engine_aso::drive::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1420", "platform::pages::tests::a_platform_without_resources_names_another_engine"),
    ("LF1421", "aws::resources::tests::a_refusal_names_the_engine_that_can"),
    ("LF1422", "aws_cloud::resources::tests::what_is_not_there_yet_is_told_from_a_refusal"),
    ("LF1423", "engine_native::tests::a_refusal_ends_the_run_and_names_the_resource"),
    ("LF1424", "engine_native::tests::differences_are_named_and_what_is_not_ours_is_left_alone"),
    ("LF1425", "engine_native::tests::differences_are_named_and_what_is_not_ours_is_left_alone"),
    ("LF1430", "azure::cloud::resources::failure::tests::what_passes_is_told_from_what_does_not"),
    ("LF1431", "azure::cloud::resources::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1433", "engine_native::tests::what_can_be_changed_in_place_is_set_back_and_the_rest_is_named"),
    ("LF1434", "install::drift::tests::what_the_installed_cluster_replaces_is_not_called_missing"),
    ("LF1435", "install::drift::tests::what_the_plan_no_longer_has_is_named"),
    ("LF1432", "azure::cloud::resources::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1426", "engine_native::tests::nothing_is_begun_once_the_user_stops_it"),
    ("LF1427", "install::drift::tests::what_was_removed_or_changed_by_hand_is_told_before_more_is_created"),
    ("LF1429", "cli::destroy::bootstrap::gate::tests::without_the_word_of_the_cluster_the_machine_stays"),
    ("LF1428", "install::drift::tests::what_was_removed_or_changed_by_hand_is_told_before_more_is_created"),
    ("LF1542", "engine_aso::drive::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1543", "engine_aso::drive::pages::tests::each_fault_has_a_page_of_its_own"),
    ("LF1548", "prepare::target::tests::what_stands_in_the_way_says_how_to_go_on"),
    ("LF1549", "prepare::target::tests::what_stands_in_the_way_says_how_to_go_on"),
    ("LF1561", "prepare::target::tests::what_stands_in_the_way_says_how_to_go_on"),
    ("LF1562", "engine_aso::install::release::tests::what_is_no_release_is_refused_without_its_text"),
    ("LF1563", "kube::aso::installed::a_release_is_installed_and_the_next_one_follows_it"),
    ("LF1564", "kube::aso::installed::a_release_is_installed_and_the_next_one_follows_it"),
    ("LF1565", "kube::aso::installed::what_the_server_refuses_is_named"),
    ("LF1566", "kube::aso::installed::a_release_is_installed_and_the_next_one_follows_it"),
    ("LF1560", "aso_detect::commands::what_is_no_release_is_refused_without_a_word_of_it"),
];

/// What judging finds, and for a code of planning what planning with the catalogue alone finds.
fn codes_of(page: Option<&Page>, text: &str) -> (Outcome, BTreeSet<&'static str>) {
    let verdict = judge_keeping(text.as_bytes(), Strictness::default(), Catalogue::embedded());
    let mut found: BTreeSet<&'static str> = verdict.findings.iter().map(|f| f.code.as_str()).collect();
    if verdict.outcome != Outcome::Accepted || page.is_none_or(|page| page.code < "LF0600") {
        return (verdict.outcome, found);
    }
    let (config, given) = (verdict.config.unwrap(), verdict.given.unwrap());
    let findings = create::planned_offline(&config, &given);
    let outcome = if findings.errors() > 0 { Outcome::Rejected } else { Outcome::Accepted };
    found.extend(findings.into_vec().iter().map(|finding| finding.code.as_str()));
    (outcome, found)
}

#[test]
fn pages_are_well_formed() {
    let pages = pages();
    for page in &pages {
        let digits = page.code.strip_prefix("LF").unwrap_or_default();
        assert!(digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()), "{}", page.code);
        assert!(!page.title.is_empty() && !page.title.ends_with('.'), "{}: title", page.code);
        assert!(page.text.ends_with(['.', '>']), "{}: text", page.code);
    }
    assert!(pages.len() > 400, "only {} codes", pages.len());
}

/// The codes of all constants, which name them in one form only.
fn constants(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // The toy cloud is in no build that users have.
        if path.ends_with("toy-cloud") {
            continue;
        }
        if path.is_dir() {
            constants(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let named = text.split("Code::new(\"").skip(1).filter_map(|rest| rest.split('"').next());
            found.extend(named.map(str::to_owned));
        }
    }
}

#[test]
fn every_page_has_one_constant_and_every_constant_a_page() {
    let mut found = Vec::new();
    for folder in ["src", "crates"] {
        constants(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    }
    found.sort_unstable();
    let pages: Vec<&str> = pages().iter().map(|page| page.code).collect();
    assert_eq!(found, pages);
}

#[test]
fn every_page_has_examples_or_a_test_that_shows_it() {
    let missing: Vec<&str> = pages()
        .into_iter()
        .filter(|page| page.wrong.is_empty() || page.right.is_empty())
        .map(|page| page.code)
        .filter(|code| !SHOWN_ELSEWHERE.iter().any(|(shown, _)| shown == code))
        .collect();
    assert!(missing.is_empty(), "codes without a positive and a negative case: {missing:?}");
}

fn with_examples() -> impl Iterator<Item = Page> {
    pages().into_iter().filter(|page| page.base != Base::Whole)
}

#[test]
fn bad_examples_break_their_rule() {
    let mut wrong = Vec::new();
    for page in with_examples() {
        let text = page.base.with(page.wrong);
        let (outcome, found) = codes_of(Some(&page), &text);
        let stands = match page.severity {
            Severity::Error => outcome != Outcome::Accepted,
            Severity::Warning => outcome == Outcome::Accepted || page.code == "LF0020",
        };
        if !found.contains(page.code) || !stands {
            wrong.push(format!("{}: {outcome:?} {found:?}\n{text}", page.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn good_examples_are_accepted_without_the_code() {
    let mut wrong = Vec::new();
    for page in with_examples() {
        let text = page.base.with(page.right);
        let (outcome, found) = codes_of(Some(&page), &text);
        if outcome != Outcome::Accepted || found.contains(page.code) {
            wrong.push(format!("{}: {outcome:?} {found:?}\n{text}", page.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bases_are_accepted_without_a_word() {
    for base in [Base::Aws, Base::Azure, Base::AzureStack, Base::None, Base::External] {
        let (outcome, found) = codes_of(None, base.text());
        assert_eq!((outcome, found.len()), (Outcome::Accepted, 0), "{base:?} {found:?}");
    }
}

#[test]
fn the_named_tests_assert_their_codes() {
    let sources = Sources::read(Path::new(env!("CARGO_MANIFEST_DIR")));
    let objections: Vec<String> =
        SHOWN_ELSEWHERE.iter().filter_map(|(code, test)| asserted::objection(&sources, test, code)).collect();
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}
